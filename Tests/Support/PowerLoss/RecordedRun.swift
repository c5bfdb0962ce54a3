internal import Platform
internal import ProfileTesting

/// Commands that ran one after another, and what they did to the files of a folder.
package struct RecordedRun: Sendable {
    /// The folder before the first command.
    package let before: Disk
    /// What the commands did. The end of each command acknowledges what it did.
    package private(set) var events: [DiskRecording.Event]

    package struct Failed: Error { let command: [String], status: Int32, output: String }

    /// Runs commands in a folder and records them. A command consists of a program and its arguments. The program is a
    /// path, or the name of a program that is built with the tests. The folder is also the working directory. Each
    /// command must end with the exit code `status`.
    package init(
        _ commands: [[String]], in folder: String, environment: [String: String] = [:], status: Int32 = 0
    ) throws {
        before = try Disk(folder)
        let log = try TemporaryFolder("disk-record")
        var events: [DiskRecording.Event] = []
        for (number, command) in commands.enumerated() {
            let name = "\(log.path)/\(number)"
            let outcome = try DiskFaultsProcess.run(
                command, in: folder, environment: environment.merging(["DISK_FAULTS_LOG": name]) { $1 })
            guard outcome.status == status else {
                throw Failed(command: command, status: outcome.status, output: outcome.output)
            }
            events += try DiskRecording(name).events + [.acknowledge("end of \(command)")]
        }
        self.events = events
    }

    /// The run of a program that the caller has started, with `DISK_FAULTS_LOG` set to `log`.
    package init(before: Disk, log: String) throws {
        self.before = before
        events = try DiskRecording(log).events + [.acknowledge("end")]
    }

    package enum Synced: CaseIterable, Sendable { case files, folders }

    /// The same run, but as if some syncs had been left out of the program.
    package func leavingOutSyncs(of synced: Synced) throws -> RecordedRun {
        var disk = before
        var run = self
        run.events = []
        for event in events {
            try disk.apply(event)
            if case .sync(let inode) = event, disk.isFolder(inode) == (synced == .folders) { continue }
            run.events.append(event)
        }
        return run
    }

    /// The disk after the first events.
    package func disk(after count: Int) throws -> Disk {
        var disk = before
        for event in events.prefix(count) { try disk.apply(event) }
        return disk
    }
}

/// Runs programs with the library DiskFaults.
package enum DiskFaultsProcess {
    /// The environment in which a program's calls on files under a folder pass through the library.
    package static func environment(watching folder: String) throws -> [String: String] {
        guard let root = realpath(folder, nil) else { throw SystemError("realpath \(folder)") }
        defer { free(root) }
        return [
            "LD_PRELOAD": try BuiltProgram.path("libDiskFaults.so"), "DISK_FAULTS_ROOT": String(cString: root),
            "HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TMPDIR": "/tmp",
        ]
    }

    /// Runs a program to its end, in the folder. Its output and errors are one text.
    package static func run(
        _ command: [String], in folder: String, environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let outside = try TemporaryFolder("disk-output")
        let name = "\(outside.path)/output"
        let program = command.first ?? ""
        let path = program.hasPrefix("/") ? program : try BuiltProgram.path(program)
        let process = try ChildProcess(
            [path] + command.dropFirst(),
            environment: try Self.environment(watching: folder).merging(environment) { $1 }, folder: folder,
            streams: [
                0: .file("/dev/null", flags: O_RDONLY), 1: .file(name, flags: O_WRONLY | O_CREAT | O_APPEND),
                2: .file(name, flags: O_WRONLY | O_CREAT | O_APPEND),
            ])
        let status = process.wait()
        return (status, SmallFile.text(of: name) ?? "")
    }
}
