internal import ArgumentParser

/// A subcommand whose work may have to wait.
///
/// It runs on the calling thread. argument-parser's own protocol for this, `AsyncParsableCommand`, moves it to another
/// thread first, which a lookup does not need.
protocol AsynchronousCommand: ParsableCommand {
    /// Whether the command may have to wait on another thread. If the system cannot start a thread, Swift's executor
    /// retries for ever, so such a command is refused at the start.
    var needsThreads: Bool { get }

    /// Whether the command reads or writes many rows with several threads. Then it is refused at the start if there is too
    /// little address space.
    var needsAddressSpace: Bool { get }

    func run() async throws
}

extension AsynchronousCommand {
    var needsThreads: Bool { true }
    var needsAddressSpace: Bool { false }
}
