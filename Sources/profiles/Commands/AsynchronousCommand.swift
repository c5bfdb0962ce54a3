internal import ArgumentParser

/// A subcommand whose work may have to wait.
///
/// It runs where it is called. argument-parser's own protocol for this, `AsyncParsableCommand`, sends it to another
/// thread first, which a look-up has no need of.
protocol AsynchronousCommand: ParsableCommand {
    func run() async throws
}
