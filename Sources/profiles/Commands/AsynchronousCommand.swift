internal import ArgumentParser

/// A subcommand whose work may have to wait.
///
/// It runs where it is called. argument-parser's own protocol for this, `AsyncParsableCommand`, sends it to another
/// thread first, which a look-up has no need of.
protocol AsynchronousCommand: ParsableCommand {
    /// Whether it may have to wait on another thread. Where there is none to be had, Swift's own executor would try again
    /// for ever, so such a command is not begun.
    var needsThreads: Bool { get }

    func run() async throws
}

extension AsynchronousCommand {
    var needsThreads: Bool { true }
}
