internal import ArgumentParser

/// A subcommand whose work may have to wait.
///
/// The command starts on the calling thread. argument-parser's own protocol for such commands, `AsyncParsableCommand`,
/// first moves a command to another thread, which a lookup does not need.
protocol AsynchronousCommand: ParsableCommand {
    /// Whether the command may have to wait on another thread. If the system cannot start a thread, Swift's executor
    /// retries for ever, so `main` first checks that the system can start threads.
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
