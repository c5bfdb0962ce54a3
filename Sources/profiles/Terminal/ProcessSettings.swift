internal import CLinux
internal import Platform

/// The settings of the whole process, made at its start.
enum ProcessSettings {
    static func apply() {
        forbidCoreDumps()
        saveAddressSpace()
        giveLargeTablesBack()
        // If SIGPIPE is ignored, a write to a closed pipe does not end the process, but returns an error. So the store
        // is still closed properly.
        signal(SIGPIPE, SIG_IGN)
        // If SIGXFSZ is ignored, a write beyond the file size limit of the process returns an error too.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// The number of file descriptors that a command may need, in addition to the descriptors that it inherits at its
    /// start. An import that infers rules and creates a store needs the most descriptors: 17.
    static let neededDescriptors = 32

    /// Refuses to run if the process can open too few files. libdispatch traps if it cannot open a descriptor of
    /// epoll(7) or eventfd(2), and every command that waits uses libdispatch.
    static func requireDescriptors() throws(CommandFailure) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = Int32(clamping: min(limit.rlim_cur, 1 << 20))
        var free = 0
        // One call of poll(2) checks which of 64 descriptors are closed. For a process with few open files, one call is
        // enough.
        var first: Int32 = 0
        while first < most, free < neededDescriptors {
            let end = min(first + 64, most)
            var some = (first..<end).map { pollfd(fd: $0, events: 0, revents: 0) }
            poll(&some, nfds_t(some.count), 0)
            free += some.count { $0.revents & Int16(POLLNVAL) != 0 }
            first = end
        }
        guard free >= neededDescriptors else {
            throw .tooFewDescriptors(free: free, needed: neededDescriptors, limit: Int(most))
        }
    }

    /// The address space, in bytes, for a command that reads or writes many rows. The space for the program itself is
    /// not included. The command starts threads for each core, and each of them reserves 8 MiB for its stack.
    /// Measurement with two cores and imports of a million rows: with 140 MiB, no command died; with 110 MiB, some
    /// commands died.
    private static var neededAddressSpace: Int {
        (160 + 16 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) << 20
    }

    /// Refuses to run if the process can get too little address space (`ulimit -v`), because Swift's allocator ends the
    /// process if there is no memory. The check reserves the space and releases it immediately, without using its
    /// pages.
    static func requireAddressSpace() throws(CommandFailure) {
        let needed = neededAddressSpace
        let space = mmap(nil, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let space, space != MAP_FAILED else { throw .tooLittleAddressSpace(needed: needed) }
        munmap(space, needed)
    }

    /// Gives each block of 1.25 MiB or more a mapping of its own, which returns to the system when the block is freed.
    /// Without this setting, glibc raises its threshold for such blocks (`M_MMAP_THRESHOLD`) when it frees the first
    /// block. The growing tables of an import then leave gaps in the heap: 12 MiB of 165 MiB for ten million rows. The
    /// buffers of 1 MiB for batches stay in the heap, because new mappings for them would cost 4 % of the time of an
    /// import.
    private static func giveLargeTablesBack() { _ = profiles_map_larger_blocks_alone(5 << 18) }

    /// Lets all threads allocate from one arena if the address space is limited. Otherwise each new thread reserves up
    /// to 128 MiB for its own arena. A command may then run out of address space, depending on the order in which its
    /// threads start.
    private static func saveAddressSpace() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        if limit.rlim_cur != ~0 { _ = profiles_use_one_arena() }
    }

    /// Ends the process by a signal, as if the signal had not been caught.
    static func die(of signal: Int32) {
        TemporaryName.removeAll()
        Platform.signal(signal, SIG_DFL)
        // Threads of Dispatch block most signals. On such a thread, `raise` would not end the process.
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, signal)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        raise(signal)
    }

    /// Prevents core dumps. Memory may contain secrets, and a crash must not write them to a file (P12).
    private static func forbidCoreDumps() {
        _ = profiles_forbid_core_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
