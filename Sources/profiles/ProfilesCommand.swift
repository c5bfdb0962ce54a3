internal import ArgumentParser
internal import Dispatch
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import Threads

/// The command `profiles`. Parses the arguments, runs one subcommand, and turns an error into a message on standard
/// error and an exit code.
@main
struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "Store profiles that are validated against a schema.",
        discussion: """
            Profiles are stored in one SQLite file or in a PostgreSQL database. The store refuses a profile that \
            breaks the schema.

              profiles register
              profiles import people.csv --rejects rejects.csv
              profiles show skboard
              profiles list main st
              profiles edit skboard --phone 7876-1242

            The store is at --database, else at $PROFILES_DATABASE, else at \
            $XDG_DATA_HOME/profiles/profiles.sqlite, where $XDG_DATA_HOME is ~/.local/share by default.
            """,
        version: ProgramVersion.number,
        subcommands: testCommands,
        groupedSubcommands: [
            CommandGroup(
                name: "Profiles",
                subcommands: [
                    RegisterCommand.self, ShowCommand.self, EditCommand.self, RemoveCommand.self, ListCommand.self,
                    FindCommand.self, LookupCommand.self, BrowseCommand.self, SummaryCommand.self,
                    DuplicatesCommand.self, WatchCommand.self, HistoryCommand.self, UndoCommand.self, RedoCommand.self,
                ]),
            CommandGroup(
                name: "Files",
                subcommands: [
                    ImportCommand.self, MendCommand.self, ValidateCommand.self, ExportCommand.self, ImportsCommand.self,
                    DiffCommand.self,
                ]),
            CommandGroup(name: "Rules", subcommands: [SchemaCommand.self, RevalidateCommand.self]),
            CommandGroup(
                name: "People and secrets",
                subcommands: [
                    PasscodeCommand.self, LoginCommand.self, UnlockCommand.self, ResetCommand.self, SessionCommand.self,
                    TokenCommand.self,
                ]),
            CommandGroup(
                name: "The store",
                subcommands: [
                    InitCommand.self, CheckCommand.self, BackupCommand.self, RestoreCommand.self, CopyCommand.self,
                    MigrateCommand.self, ServeCommand.self,
                ]),
            CommandGroup(name: "Shell", subcommands: [CompletionCommand.self]),
        ])

    /// The commands that exist only in a build for tests (`swift build --traits TestHooks`). Such a build must not be
    /// shipped.
    private static var testCommands: [any ParsableCommand.Type] {
        #if TestHooks
            [ScenariosCommand.self]
        #else
            []
        #endif
    }

    static func main() {
        ProcessSettings.apply()
        // The task starts on this thread. A command that never suspends, such as a lookup in SQLite, also ends on this
        // thread, and the process needs no other thread. A command that suspends resumes on the threads of Swift's
        // executor. Without `@concurrent`, the task would belong to the main actor, and would change threads whenever
        // it calls a function outside the main actor.
        Task.immediate { @concurrent in await runToItsEnd() }
        dispatchMain()
    }

    private static func runToItsEnd() async -> Never {
        do {
            try CommandArguments.requireReadable()
            try ProcessSettings.requireDescriptors()
            #if TestHooks
                if let scenario = try ScenarioRun() {
                    try await scenario.run()
                    Platform.exit(EXIT_SUCCESS)
                }
            #endif
            if let lookup = PlainLookup(Array(CommandLine.arguments.dropFirst())) {
                try await lookup.run()
                Platform.exit(EXIT_SUCCESS)
            }
            await CompletedWords.read(for: Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            if let command = command as? any AsynchronousCommand {
                if command.needsAddressSpace { try ProcessSettings.requireAddressSpace() }
                if command.needsThreads { try requireThreads() }
                try await command.run()
            } else {
                try command.run()
            }
            Platform.exit(EXIT_SUCCESS)
        } catch {
            if let ending = error as? SignalEnding { ProcessSettings.die(of: ending.signal) }
            // Other errors come from argument-parser: help, the version, or a usage error with its exit code 64.
            guard let failure = CommandFailure(error) else { end(with: error) }
            failure.show()
            Platform.exit(failure.status.rawValue)
        }
    }

    /// Checks that the system can start as many threads as a command may need. The check starts all these threads at
    /// once, and then ends them. Throws if the system cannot start them.
    private static func requireThreads() throws(CommandFailure) {
        // Swift's executor needs one thread for each core, and one for its timer. One more thread waits for the store.
        let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 2
        let end = DispatchSemaphore(value: 0)
        var threads: [SystemThread] = []
        defer {
            for _ in threads { end.signal() }
            for thread in threads { thread.join() }
        }
        do throws(ThreadError) {
            for _ in 0..<count { threads.append(try SystemThread(blockingSignals: true) { end.wait() }) }
        } catch {
            throw .cannotStartThread(error.code)
        }
    }

    private static func end(with error: any Error) -> Never {
        let status = exitCode(for: error)
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard status == .validationFailure else {
            if let mistyped = UsageText(ofHelp: arguments) {
                Output.error.note(mistyped.text)
                Platform.exit(ExitCode.validationFailure.rawValue)
            }
            let help = fullMessage(for: error)
            guard help == helpMessage() else { exit(withError: error) }
            show(help: help)
        }
        Output.error.note(UsageText(error, arguments: arguments).text)
        Platform.exit(status.rawValue)
    }

    /// Shows the help of the command itself, with the exit codes at its end. argument-parser has no place for a text
    /// after the list of subcommands.
    private static func show(help: String) -> Never {
        do {
            // Every heading of a group of subcommands ends in this word.
            try Output.standard.print(help.replacing(" SUBCOMMANDS:\n", with: ":\n") + "\n\n" + exitCodes)
            Platform.exit(EXIT_SUCCESS)
        } catch {
            error.show()
            Platform.exit(error.status.rawValue)
        }
    }

    private static let exitCodes = """
        OUTPUT AND EXIT CODES:
          Results go to standard output, everything else to standard error.

          0    success
          1    negative answer: invalid, rejected rows, duplicate, stale revision,
               not found, wrong secret
          64   usage
          65   unreadable input
          66   no such input
          69   unavailable
          70   unknown whether the write was stored
          73   cannot create
          74   input or output failed, or stored on one machine only
          75   busy, try again
          77   not permitted or throttled
          78   bad schema or configuration
          130  interrupted
        """
}
