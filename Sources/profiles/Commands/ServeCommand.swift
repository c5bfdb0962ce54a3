internal import ArgumentParser
internal import Platform

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the profiles of a store over HTTP.",
        discussion: """
            Starts the program profiles-server with the same options. It is a program of its own, so that this command \
            needs no network code: "make server" builds it, and the Debian package profiles-server installs it. It is \
            looked for beside this command, and then on the PATH.

              profiles serve --port 8080 --open-registration
              profiles serve --database people.sqlite --admin-port 9090

            Its own options: profiles-server --help
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The options of profiles-server, such as --port 8080.", valueName: "option"))
    var options: [String] = []

    func run() throws {
        // `options` contains all arguments, even `--help`. The parser does not handle `--help` here.
        if options == ["--help"] || options == ["-h"] { throw CleanExit.helpRequest(self) }
        for program in Self.candidates() where Self.isProgram(program) {
            throw Self.replaceProcess(program, options)
        }
        throw CommandFailure(
            .unavailable, "The program profiles-server is not installed beside this command or on the PATH",
            "Build and install it with \"make server\" and \"make install-server\", or install the Debian package "
                + "profiles-server")
    }

    private static let name = "profiles-server"

    /// The paths at which the program may be, in the order in which they are tried.
    private static func candidates() -> [String] {
        var folders: [Substring] = []
        if let own = ownPath(), let slash = own.lastIndex(of: "/") { folders.append(own[..<slash]) }
        // Relative folders are skipped. Otherwise the command could run a program from the user's current folder.
        folders += (Environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(name)" }
    }

    /// The path of this command, without symbolic links.
    private static func ownPath() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Replaces the program of this process by another program (execv(3)). The new program gets the signals and sets
    /// the exit code, and no second process is needed.
    ///
    /// - Returns: The failure, if the program cannot be run.
    private static func replaceProcess(_ program: String, _ options: [String]) -> CommandFailure {
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + options).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execv(program, &arguments)
        return CommandFailure(.unavailable, "\(program) cannot be run: \(CommandFailure.systemText(errno))")
    }
}
