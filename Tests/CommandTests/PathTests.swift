import Platform
import ProfileTesting
import Testing
import Watchdog

/// Paths that are not UTF-8. A Swift `String` cannot hold them, because it replaces invalid bytes by U+FFFD.
@Suite(.watched) struct PathTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test(
        "An argument that is not UTF-8 is refused with its position, and is neither repeated nor repaired",
        arguments: [
            ("list --database $'x\\xff.sqlite'", 3), ("init --database=$'x\\xfe.sqlite'", 2),
            ("export $'\\xff.csv'", 2), ("login anna $'-p\\xffsecret'", 3), ("login $'an\\xc3na'", 2),
            ("$'\\xed\\xa0\\x80'", 1), ("lookup $'\\xf4\\x90\\x80\\x80' --database x.sqlite", 2),
        ])
    func argument(_ arguments: String, _ place: Int) throws {
        let before = SmallFile.names(in: workplace.folder)
        let outcome = try workplace.shell("profiles \(arguments)")
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.error.hasPrefix("Error: Argument \(place) is not UTF-8 text\n"), "\(outcome.error)")
        #expect(!outcome.error.contains("\u{FFFD}") && !outcome.error.contains("secret"))
        #expect(SmallFile.names(in: workplace.folder).filter { $0 != ".input" } == before)
    }

    @Test(
        "Without procfs the arguments cannot be read, and every command fails, so no login seems right",
        .enabled(if: geteuid() == 0, "only root can take /proc away"),
        arguments: [["login", "anna", "--password-stdin"], ["remove", "anna", "--yes"], ["--version"], []])
    func unreadable(_ arguments: [String]) throws {
        let script = #"umount -l /proc && exec "$@""#
        let command = ["unshare", "--mount", "sh", "-c", script, "sh", try Workplace.binary()]
        let outcome = try workplace.run(command + arguments, input: "aK8oio", environment: [:])
        #expect(outcome.status == 78)
        #expect(outcome.output == "")
        #expect(
            outcome.error.hasPrefix("Error: The arguments cannot be read, so nothing was done\n"), "\(outcome.error)")
    }

    @Test(
        "A variable with a path that is not UTF-8 is refused by its name, and is ignored if it is not needed",
        arguments: ["PROFILES_DATABASE", "XDG_DATA_HOME", "HOME"])
    func variable(_ name: String) throws {
        let unset = "unset PROFILES_DATABASE; "
        let value = "export \(name)=\"$PWD\"/$'\\xff'; "
        let outcome = try workplace.shell(unset + value + "profiles init")
        #expect(outcome.status == 78)
        #expect(outcome.error.hasPrefix("Error: The path in the environment variable \(name) is not UTF-8 text\n"))
        #expect(SmallFile.names(in: workplace.folder) == [".input"])
        #expect(try workplace.shell(unset + value + "profiles init --database x.sqlite").status == 0)
    }

    @Test(
        "P12: a store that looks like a URI is not used as a path, and its password is not shown",
        arguments: [
            "POSTGRESQL://u:Sesame0pen@h/db", "postgres:/u:Sesame0pen@h/db", "postgresql:u:Sesame0pen@h/db",
            "mysql://u:Sesame0pen@h/db", "jdbc:postgresql://h/db?password=Sesame0pen", "u:Sesame0pen@h/db",
            "host=127.0.0.1 password=Sesame0pen dbname=x",
        ])
    func misspelledURI(_ place: String) throws {
        for arguments in [
            ["init", "--database", place], ["list", "--database", place], ["copy", place, "new.sqlite"],
            ["diff", place, place], ["list"],
        ] {
            let variable = arguments == ["list"] ? ["PROFILES_DATABASE": place] : [:]
            let outcome = try workplace.run(
                [try Workplace.binary()] + arguments, input: "", environment: variable)
            #expect(outcome.status == 64 && outcome.output.isEmpty, "\(arguments) \(outcome)")
            #expect(
                outcome.error == """
                    Error: The place of the store looks like an address, but does not begin with postgresql://
                      If it is the path of a file, put ./ before it

                    """, "\(arguments) \(outcome)")
        }
        for arguments in [
            ["copy", place, place], ["restore", place, "--yes"], ["backup", place], ["backup", "--into", place],
        ] {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome.status == 64 && !outcome.error.contains("Sesame0pen"), "\(arguments) \(outcome)")
        }
        #expect(SmallFile.names(in: workplace.folder) == [".input"])
        #expect(try workplace.profiles("init", "--database", "./mysql:/x.sqlite").status == 0)
        #expect(workplace.exists("mysql:/x.sqlite"))
    }

    @Test func `commands work in a folder whose path is not UTF-8`() throws {
        try workplace.write(
            "username,phone,address,password\nbert,78761241,12 Main St,aK8oio\n!,1,,\n", to: "people.csv")
        let outcome = try workplace.shell(
            #"""
            set -e
            exec 2>&1
            unset PROFILES_DATABASE
            mkdir $'\xff' && cd $'\xff'
            profiles init --database x.sqlite
            printf aK8oio | profiles register --database x.sqlite --username anna --phone 78761241 --address x \
                --password-stdin
            profiles import ../people.csv --database x.sqlite --rejects rejects.csv --report report.json --map phone=phone \
                || test $? = 1
            profiles lookup bert --database x.sqlite
            profiles check --database x.sqlite
            profiles backup backup.sqlite --database x.sqlite
            profiles lookup anna --database backup.sqlite
            for _ in 1 2; do profiles export people.csv --force --database x.sqlite; done
            ln -s people.csv link.csv
            profiles export link.csv --force --database x.sqlite
            test -L link.csv
            test $(wc -l < people.csv) = 3
            test $(wc -l < rejects.csv) = 2
            ls | grep -v sqlite
            """#)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.hasSuffix("\nlink.csv\npeople.csv\nrejects.csv\nreport.json\n"), "\(outcome.output)")
        // No file name has U+FFFD in place of the byte.
        #expect(try workplace.shell("ls -d *$'\\xef\\xbf\\xbd'*").status != 0)
    }

    @Test
    func `folders that differ only in an invalid byte have separate stores and sockets`() throws {
        let made = try workplace.shell(
            #"""
            set -e
            unset PROFILES_DATABASE
            for folder in $'\xff' $'\xfe'; do mkdir "$folder"; (cd "$folder" && profiles init --database x.sqlite); done
            cd $'\xff'
            printf aK8oio | profiles register --database x.sqlite --username anna --phone 78761241 --address x \
                --password-stdin
            cd ../$'\xfe'
            ! profiles lookup anna --database x.sqlite
            """#)
        #expect(made.status == 0, "\(made)")
        let watchers = try ["\\xff", "\\xfe"].map { folder in
            try ChildProcess(
                ["/bin/bash", "-c", "cd $'\(folder)' && exec \"$0\" watch --database x.sqlite", Workplace.binary()],
                environment: workplace.environment.merging(["XDG_RUNTIME_DIR": workplace.folder]) { $1 },
                folder: workplace.folder,
                streams: [
                    0: .file("/dev/null", flags: O_RDONLY), 1: .file("/dev/null", flags: O_WRONLY),
                    2: .file("/dev/null", flags: O_WRONLY),
                ])
        }
        // The name of a socket depends on the store. A socket that is not ready has a name that begins with a dot.
        var sockets: [Substring] = []
        while sockets.count < 2 {
            #expect(watchers.allSatisfy { !$0.hasEnded })
            usleep(5_000)
            sockets = SmallFile.names(in: "\(workplace.folder)/profiles").filter { !$0.hasPrefix(".") }.map {
                $0.prefix(32)
            }
        }
        #expect(Set(sockets).count == 2)
        for watcher in watchers {
            watcher.send(SIGINT)
            #expect(watcher.wait() == 130)
        }
    }

    @Test(
        "For a broken symbolic link, the error names its target, and no store is made there",
        arguments: ["init", "list", "register --username bert --phone 78761241 --address 1"])
    func brokenLink(_ command: String) throws {
        #expect(symlink("gone.sqlite", "\(workplace.folder)/link.sqlite") == 0)
        let outcome = try workplace.shell("profiles \(command) --database link.sqlite")
        #expect(outcome.status == 66)
        #expect(
            outcome.error.hasPrefix("Error: link.sqlite is a symbolic link to gone.sqlite, which does not exist\n"),
            "\(outcome.error)")
        #expect(!outcome.error.contains("profiles init"))
        #expect(SmallFile.names(in: workplace.folder).filter { !$0.hasPrefix(".") } == ["link.sqlite"])
    }
}
