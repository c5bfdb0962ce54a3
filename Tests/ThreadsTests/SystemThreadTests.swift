import Dispatch
import Platform
import ProfileTesting
import Synchronization
import Testing
import Threads
import Watchdog

@Suite(.watched) struct SystemThreadTests {
    @Test func `joining waits until the thread has ended, and joining again does nothing`() throws {
        let hasRun = Atomic(false)
        let gate = DispatchSemaphore(value: 0)
        let thread = try SystemThread(blockingSignals: true) {
            gate.wait()
            hasRun.store(true, ordering: .sequentiallyConsistent)
        }
        gate.signal()
        thread.join()
        let ran = hasRun.load(ordering: .sequentiallyConsistent)
        #expect(ran)
        thread.join()
    }

    @Test func `a thread that joins itself goes on`() throws {
        let itself = Mutex<SystemThread?>(nil)
        let (begin, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = try SystemThread(blockingSignals: true) {
            begin.wait()
            itself.withLock { $0 }?.join()
            end.signal()
        }
        itself.withLock { $0 = thread }
        begin.signal()
        end.wait()
    }

    @Test func `a thread without references runs to its end`() throws {
        let end = DispatchSemaphore(value: 0)
        _ = try SystemThread(blockingSignals: false) { end.signal() }
        end.wait()
    }

    /// Tests the signals that a thread blocks from its start, and that the mask of the starting thread does not change.
    @Test(arguments: [true, false])
    func `a thread blocks all signals or has its starter's mask, which does not change`(blockingSignals: Bool) throws {
        let own = Self.blocked()
        let others = Mutex<[Bool]>([])
        try SystemThread(blockingSignals: blockingSignals) { others.withLock { $0 = Self.blocked() } }.join()
        #expect(others.withLock { $0 } == (blockingSignals ? own.map { _ in true } : own))
        #expect(Self.blocked() == own)
    }

    /// Whether this thread blocks each of the signals that stop, end or interrupt.
    private static func blocked() -> [Bool] {
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        return [SIGINT, SIGTERM, SIGTSTP, SIGHUP, SIGWINCH, SIGCHLD, SIGUSR1].map { sigismember(&mask, $0) == 1 }
    }

    @Test func `if no thread can be created, every caller gets an error, and later work is done`() throws {
        let folder = try TemporaryFolder("threads")
        let output = "\(folder.path)/output"
        // A separate malloc arena for each thread would use up the remaining memory.
        let process = try ChildProcess(
            [try BuiltProgram.path("ThreadExerciser")], environment: ["MALLOC_ARENA_MAX": "1"],
            streams: [1: .file(output, flags: O_WRONLY | O_CREAT)])
        #expect(process.wait() == 0)
        #expect(
            SmallFile.text(of: output) == """
                thread: ThreadError(code: \(EAGAIN))
                pipeline: ThreadError(code: \(EAGAIN))
                start: noThread(code: \(EAGAIN))
                run: noThread(code: \(EAGAIN))
                write: noThread(code: \(EAGAIN))
                run with room: done

                """)
    }
}
