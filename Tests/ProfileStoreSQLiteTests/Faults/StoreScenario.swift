import Platform
import PowerLoss
import ProfileTesting
import RawSQLite
import StoreFixtures
import Testing

/// Something that changes a store, in steps of `DiskExerciser`.
struct StoreScenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The steps that make the folder before.
    let before: [String]
    let steps: [String]
    /// The number of different contents of the store during the steps, the first included; nil if it does not matter.
    let states: Int?
    /// The distance between two faults that a long run tries. It is 1, or more for a scenario of thousands of calls.
    let stepBetweenFaults: Int
    /// Changes the folder after the steps of `before`.
    let prepare: @Sendable (TemporaryStore) throws -> Void

    init(
        _ name: String, after before: [String] = ["create", "register:abel", "register:bert", "register:carl"],
        _ steps: [String], states: Int? = nil, stepBetweenFaults: Int = 1,
        prepare: @escaping @Sendable (TemporaryStore) throws -> Void = { _ in }
    ) {
        self.stepBetweenFaults = stepBetweenFaults
        (testDescription, self.before, self.steps, self.states, self.prepare) = (name, before, steps, states, prepare)
    }

    /// The scenarios of this run. A short run has one in `step` of them.
    static func some(oneIn step: Int, from first: Int = 0) -> [StoreScenario] {
        Length.some(all.filter { Length.isLong || $0.stepBetweenFaults == 1 }, oneIn: step, from: first)
    }

    private static let all = changes + secrets + files + imports

    private static let changes = [
        StoreScenario("creating", after: [], ["create", "close"], states: 3),
        StoreScenario("registering", ["register:dora", "register:emil", "close", "register:fred", "close"], states: 4),
        StoreScenario("registering several", ["register-many:dora", "register-once:emil", "close"], states: 3),
        StoreScenario("editing", ["edit:abel", "edit:bert:Street", "close"], states: 3),
        StoreScenario("removing", ["remove:bert", "close", "remove:abel", "close"], states: 3),
        StoreScenario("merging", ["merge:abel:bert", "close", "merge:carl:bert", "close"], states: 3),
        StoreScenario(
            "adopting rules", ["adopt:email", "adopt-unique:badge", "revalidate", "close", "adopt:note", "close"]),
        // The log still holds everything when the next process comes.
        StoreScenario(
            "recovering a log", after: ["create", "register:abel", "register:bert", "die"],
            ["open", "register:dora", "close"], states: 2),
    ]

    private static let secrets = [
        StoreScenario(
            "passcodes",
            ["passcode:abel", "passcode-edit:abel", "wrong:bert", "login:bert", "passcode-remove:abel", "close"]
        ),
        StoreScenario(
            "tokens",
            [
                "token:nightly", "session:abel", "session-find", "session-end", "token-revoke", "reset:carl", "redeem",
                "close",
            ]),
    ]

    private static let files = [
        StoreScenario("migrating from version 1", ["migrate", "register:dora", "close"]) {
            try $0.becomeOlder(version: 1)
        },
        StoreScenario("migrating from version 5", ["migrate", "register:dora", "close"], states: 5) {
            try $0.becomeOlder(version: 5)
        },
        StoreScenario("a backup", ["backup", "edit:abel", "close"], states: 2),
        StoreScenario(
            "restoring over a store",
            after: ["create", "register:abel", "backup", "register:bert", "adopt:email", "edit:abel"],
            ["restore", "register:dora", "close"], states: 3),
        StoreScenario(
            "restoring where no store is", after: ["create", "register:abel", "backup"],
            ["restore", "register:dora", "close"], states: 4
        ) { store in
            for ending in ["", "-wal", "-shm", "-lock"] { unlink(store.path + ending) }
        },
    ]

    private static let imports =
        ["", ":skip", ":update", ":exclusive", ":all-or-nothing", ":skip:exclusive"].map { mode in
            StoreScenario(
                "an import\(mode.replacing(":", with: ", "))", ["import:people.csv\(mode)", "close"],
                states: mode == ":all-or-nothing" ? 1 : 2
            ) { try $0.writePeople(["abel", "dora", "emil", "fred"], address: "new") }
        } + [
            StoreScenario("an import of all or nothing", ["import:people.csv:all-or-nothing", "close"], states: 2) {
                try $0.writePeople((0..<200).map { "user\($0)" })
            },
            StoreScenario("an import with passwords", ["import:people.csv", "close"], states: 2) {
                try $0.writePeople(["dora", "emil"], password: "aK8oio")
            },
            StoreScenario(
                "an import into an empty store", after: ["create"], ["import:people.csv", "close"], states: 2
            ) {
                try $0.writePeople((0..<500).map { "user\($0)" })
            },
            StoreScenario(
                "the first import", after: [], ["import:people.csv:first", "register:zoe", "close"], states: 5
            ) { try $0.writePeople((0..<300).map { "user\($0)" }) },
            StoreScenario(
                "the first import, with passwords", after: [], ["import:people.csv:first", "register:zoe", "close"]
            ) { try $0.writePeople(["dora", "emil"], password: "aK8oio") },
            // More than one batch.
            StoreScenario("an import in batches", ["import:people.csv:skip", "close"], stepBetweenFaults: 29) {
                try $0.writePeople((0..<9_000).map { "user\($0)" })
            },
        ]

    /// Makes the folder in which the steps are to run.
    func makeFolder() throws -> TemporaryStore {
        let store = try TemporaryStore(engine: .sqlite)
        if !before.isEmpty {
            let outcome = try DiskFaultsProcess.run(
                ["DiskExerciser", "run", store.directory] + before, in: store.directory)
            let expected: Int32 = before.last == "die" ? 128 + SIGKILL : 0
            try #require(outcome.status == expected, "\(outcome.output)")
        }
        try prepare(store)
        return store
    }
}

extension TemporaryStore {
    /// Writes a file of people, to be imported, with one hash or one password.
    fileprivate func writePeople(_ names: [String], address: String = "12 Main St", password: String? = nil) throws {
        let rows = names.map { "\($0),78761241,\(address),\"\(password ?? People.weakHash)\"\n" }
        let secret = password == nil ? "password_hash" : "password"
        try SmallFile.write("username,phone,address,\(secret)\n" + rows.joined(), to: directory + "/people.csv")
    }
}
