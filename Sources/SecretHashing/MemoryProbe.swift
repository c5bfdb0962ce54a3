internal import Platform
internal import ProfileCore

/// Asks the system for the memory of a hash and gives it back at once, before something is done that cannot say that
/// it got none.
enum MemoryProbe {
    /// - Throws: `.outOfMemory` when it is not there.
    static func require(_ cost: PasswordHash.Argon2Cost) throws(HashingError) {
        // Besides the blocks, of 1 KiB each, libsodium takes two bytes a block.
        let bytes = cost.memoryKiB * 1_026 + slack
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .outOfMemory }
        munmap(memory, bytes)
    }

    /// For what comes in small pieces.
    private static let slack = 1 << 20
}
