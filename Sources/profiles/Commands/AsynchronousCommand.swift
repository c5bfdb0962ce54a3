internal import ArgumentParser

/// A subcommand that runs asynchronously, because the store may make it wait.
///
/// The command starts on the calling thread. The protocol `AsyncParsableCommand` of argument-parser is for such
/// commands too, but it first moves a command to another thread. A lookup does not need another thread.
protocol AsynchronousCommand: ParsableCommand {
    /// Whether the command may need other threads than the one on which it starts. If the system cannot start a
    /// thread, Swift's executor retries for ever. So `main` first checks that the system can start threads.
    var needsThreads: Bool { get }

    /// Whether the command reads or writes many rows with several threads. `main` then first checks that there is
    /// enough address space.
    var needsAddressSpace: Bool { get }

    func run() async throws
}

extension AsynchronousCommand {
    var needsThreads: Bool { true }
    var needsAddressSpace: Bool { false }
}
