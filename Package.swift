// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with the same strictness; CI turns the warnings into errors.
let strictness: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Asynchronous functions run where they are called, so that a look-up costs no hop to another thread.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // `@_lifetime`, so that cells and columns are read as `Span`s that cannot outlive their buffer.
    .enableExperimentalFeature("Lifetimes"),
    // Public types say whether they are Sendable.
    .treatWarning("ExplicitSendable", as: .warning),
]

/// Whether the package is built for its tests. `make test` sets the variable; a package that embeds the libraries never
/// does. The tests run in half the time if the libraries are optimised, but optimisation makes the compilation of a module
/// three to four times as long. So the tests, the command, the screens and the engine for PostgreSQL, which mostly waits,
/// are compiled without it.
///
/// The tests are built in the release configuration: in the debug configuration, swift-argument-parser validates all
/// options of a command whenever it starts, which takes more than a third of the time of all tests. The flags hold in both
/// configurations, because the tests of the service are built in the debug configuration.
let isBuiltForTests = Context.environment["PROFILES_OPTIMISE_SOURCES"] != nil

/// The settings of the libraries in which the tests spend their time. A module is compiled as a whole, which takes a quarter
/// less than its files one by one.
let optimised: [SwiftSetting] =
    isBuiltForTests
    ? strictness + [.unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"])] : strictness

/// The settings of all other targets.
let unoptimised: [SwiftSetting] =
    isBuiltForTests
    ? strictness + [.unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])] : strictness

/// Whether the package has the program `Fuzzer`, and counts the coverage of the modules that it tests. `make fuzz` sets
/// the variable. Other builds lack the program: it is linked with the runtime of libFuzzer, which would slow them.
let fuzzes = Context.environment["PROFILES_FUZZ"] != nil

/// Whether the package has only the libraries and their tests, and the libraries are instrumented with the address sanitizer.
/// `make test-sanitized` sets the variable. The command and the screens are left out, because they cost half of the build,
/// and their tests say nothing about memory.
let hasOnlyLibraries = Context.environment["PROFILES_ONLY_LIBRARIES"] != nil

// The modules, from the lowest up: a target of the libraries or the command depends only on targets above it in this
// list. Documentation/Architecture.md draws them.
let package = Package(
    name: "profiles",
    products: [
        .library(name: "ProfileCore", targets: ["ProfileCore"]),
        .library(name: "ProfileForm", targets: ["ProfileForm"]),
        .library(name: "SecretHashing", targets: ["SecretHashing"]),
        .library(name: "ProfileStore", targets: ["ProfileStore"]),
        .library(name: "ProfileStoreSQLite", targets: ["ProfileStoreSQLite"]),
        .library(name: "ProfileStorePostgres", targets: ["ProfileStorePostgres"]),
        .library(name: "ProfileTransfer", targets: ["ProfileTransfer"]),
        .library(name: "SchemaInference", targets: ["SchemaInference"]),
        .library(name: "SpreadsheetReading", targets: ["SpreadsheetReading"]),
        .library(name: "ProfileLogin", targets: ["ProfileLogin"]),
        .library(name: "ProfileTesting", targets: ["ProfileTesting"]),
        .executable(name: "profiles", targets: ["profiles"]),
        // For tests, which load it into other processes.
        .library(name: "DiskFaults", type: .dynamic, targets: ["DiskFaults"]),
    ],
    traits: [
        .trait(
            name: "TestHooks",
            description: "The command honours scenarios and can be driven from outside: for tests, never to ship."),
        .trait(
            name: "Postgres", description: "The command knows stores in PostgreSQL databases, and is linked with libpq."
        ),
        .trait(name: "Foundation", description: "Days, times and secrets are made of Foundation's Date and Data."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The control server of test runs; resolved and built under the trait alone.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        // MARK: C libraries

        .systemLibrary(
            name: "CSQLite", path: "Modules/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSodium", path: "Modules/CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CCrypt", path: "Modules/CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(
            name: "CPCRE2", path: "Modules/CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(
            name: "CVTerm", path: "Modules/CVTerm", pkgConfig: "vterm", providers: [.apt(["libvterm-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Modules/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CMinizip", path: "Modules/CMinizip", pkgConfig: "minizip", providers: [.apt(["libminizip-dev"])]),
        .systemLibrary(
            name: "CExpat", path: "Modules/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(
            name: "CPQ", path: "Modules/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
        .target(name: "Platform", swiftSettings: optimised),
        .target(name: "Threads", dependencies: ["Platform"], swiftSettings: optimised),

        // MARK: Profiles

        .target(name: "ProfileCore", dependencies: ["CPCRE2"], swiftSettings: optimised),
        .target(name: "ProfileForm", dependencies: ["ProfileCore"], swiftSettings: optimised),
        .target(
            name: "SecretHashing", dependencies: ["CSodium", "CCrypt", "Platform", "Threads", "ProfileCore"],
            swiftSettings: optimised),
        .target(
            name: "ProfileStore", dependencies: ["Platform", "Threads", "ProfileCore", "SecretHashing"],
            swiftSettings: optimised),
        .target(
            name: "ProfileLogin", dependencies: ["Threads", "ProfileCore", "SecretHashing", "ProfileStore"],
            swiftSettings: optimised),
        .target(name: "CSVStream", dependencies: ["CZlib", "Platform", "Threads"], swiftSettings: optimised),
        .target(name: "TextLayout", swiftSettings: optimised),
        .target(
            name: "ProfileTransfer",
            dependencies: [
                "CSodium", "Platform", "Threads", "CSVStream", "TextLayout", "ProfileCore", "SecretHashing",
                "ProfileStore",
            ],
            swiftSettings: optimised),
        .target(
            name: "SchemaInference",
            dependencies: ["Platform", "Threads", "CSVStream", "ProfileCore", "ProfileStore", "ProfileTransfer"],
            swiftSettings: optimised),
        .target(
            name: "SpreadsheetReading",
            dependencies: ["CExpat", "CMinizip", "Platform", "Threads", "CSVStream", "ProfileCore", "ProfileTransfer"],
            swiftSettings: optimised),

        // MARK: SQLite

        .target(
            name: "SQLiteMigrations", dependencies: ["ProfileStore"], path: "Migrations/sqlite",
            resources: [
                .embedInCode("V0001_profiles.sql"), .embedInCode("V0002_changes.sql"), .embedInCode("V0003_counts.sql"),
                .embedInCode("V0004_writes.sql"), .embedInCode("V0005_accounts.sql"),
                .embedInCode("V0006_tokens.sql"), .embedInCode("V0007_history.sql"),
                .embedInCode("V0008_devices.sql"),
            ],
            swiftSettings: optimised),
        .target(
            name: "SQLiteAccess", dependencies: ["CLinux", "CSQLite", "Platform", "Threads"], swiftSettings: optimised),
        .target(
            name: "ProfileStoreSQLite",
            dependencies: [
                "Platform", "Threads", "ProfileCore", "SecretHashing", "ProfileStore", "SQLiteAccess",
                "SQLiteMigrations",
            ],
            swiftSettings: optimised),

        // MARK: PostgreSQL

        .target(
            name: "PostgresMigrations", dependencies: ["ProfileStore"], path: "Migrations/postgres",
            resources: [
                .embedInCode("V0001_store.sql"), .embedInCode("V0002_tokens.sql"), .embedInCode("V0003_history.sql"),
                .embedInCode("V0004_devices.sql"),
            ],
            swiftSettings: optimised),
        .target(
            name: "PostgresAccess", dependencies: ["CLinux", "CPQ", "Platform", "Threads"], swiftSettings: optimised),

        .target(
            name: "ProfileStorePostgres",
            dependencies: [
                "CSodium", "Platform", "Threads", "ProfileCore", "SecretHashing", "ProfileStore", "PostgresAccess",
                "PostgresMigrations",
            ],
            swiftSettings: unoptimised),

        // MARK: The command

        .target(
            name: "TerminalUI",
            dependencies: ["Platform", "Threads", "ProfileCore", "ProfileForm", "TextLayout"],
            swiftSettings: unoptimised),
        .target(
            name: "ProfileTesting",
            dependencies: [
                "CVTerm", "Platform", "Threads", "ProfileCore", "ProfileForm", "SecretHashing", "ProfileStore",
                "ProfileLogin", "ProfileStoreSQLite",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["TestHooks"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["TestHooks"])),
            ],
            swiftSettings: optimised),
        .executableTarget(
            name: "profiles",
            dependencies: [
                "CLinux", "Platform", "Threads", "ProfileCore", "ProfileForm", "SecretHashing", "ProfileStore",
                "ProfileLogin", "ProfileTransfer", "ProfileStoreSQLite", "SchemaInference", "SpreadsheetReading",
                "TerminalUI",
                "TextLayout",
                .target(name: "ProfileStorePostgres", condition: .when(traits: ["Postgres"])),
                .target(name: "ProfileTesting", condition: .when(traits: ["TestHooks"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: unoptimised),

        // MARK: Tests

        // A trait for suites and tests, which ends those that hang.
        .target(
            name: "Watchdog", dependencies: ["Platform", "ProfileTesting", "Threads"], path: "Tests/Support/Watchdog",
            swiftSettings: unoptimised),
        // A VFS over SQLite's own whose writes and syncs fail when a test says so.
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/Support/FaultVFS"),
        // A library that records or breaks the calls on files of a process into which it is loaded.
        // Nothing depends on it: linked in, it would take the place of libc's functions.
        .target(name: "DiskFaults", path: "Tests/Support/DiskFaults"),
        .systemLibrary(name: "DiskRecords", path: "Tests/Support/DiskRecords"),
        // What a disk may hold after a power failure, worked out from a record of calls.
        .target(
            name: "PowerLoss",
            dependencies: [
                "DiskRecords", "Platform", "ProfileCore", "ProfileStore", "ProfileStoreSQLite", "ProfileTesting",
                "RawSQLite",
            ],
            path: "Tests/Support/PowerLoss", swiftSettings: optimised),
        // SQLite without anything of ours, to craft files with.
        .target(
            name: "RawSQLite", dependencies: ["CSQLite"], path: "Tests/Support/RawSQLite", swiftSettings: unoptimised),
        // Stores and people for the tests of several modules.
        .target(
            name: "StoreFixtures",
            dependencies: [
                "Platform", "ProfileCore", "SecretHashing", "ProfileStore", "ProfileTransfer",
                "ProfileStoreSQLite", "ProfileStorePostgres", "SQLiteAccess", "PostgresAccess",
                "ProfileTesting",
            ],
            path: "Tests/Support/StoreFixtures", swiftSettings: unoptimised),
        // Stands between a PostgreSQL server and its clients, and cuts their connections when a test says so.
        .target(
            name: "PostgresProxy", dependencies: ["Platform", "Threads", "ProfileTesting"],
            path: "Tests/Support/PostgresProxy",
            swiftSettings: unoptimised),
        // Says whether what several clients saw can have happened in one order.
        .target(name: "Linearizability", path: "Tests/Support/Linearizability", swiftSettings: unoptimised),
        // Files that the project makes for its tests, as odd as real ones, and the paths of real files outside it.
        .target(
            name: "InputFixtures", dependencies: ["CZlib", "Platform", "ProfileTesting"],
            path: "Tests/Support/InputFixtures",
            swiftSettings: unoptimised),
        // What must hold for any input of a format, for the fuzzer and for the replay of its corpus.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CZlib", "Platform", "CSVStream", "ProfileCore", "ProfileStore", "ProfileStoreSQLite",
                "ProfileTransfer", "ProfileTesting", "SchemaInference", "Threads",
            ],
            path: "Tests/Support/FuzzTargets", swiftSettings: unoptimised),
        // Processes of their own, which tests start, kill and look at; in no product.
        .executableTarget(
            name: "ThreadExerciser", dependencies: ["Platform", "SQLiteAccess", "Threads"],
            path: "Tests/Programs/ThreadExerciser",
            // It tests locks for a fault that only optimised code has.
            swiftSettings: optimised),
        .executableTarget(
            name: "ImportExerciser",
            dependencies: [
                "Platform", "ProfileCore", "ProfileStore", "ProfileTransfer", "ProfileStoreSQLite", "SecretHashing",
            ],
            path: "Tests/Programs/ImportExerciser", swiftSettings: unoptimised),
        .executableTarget(
            name: "StoreExerciser",
            dependencies: [
                "Platform", "ProfileCore", "SecretHashing", "ProfileStore", "ProfileStoreSQLite", "ProfileTransfer",
                "SQLiteAccess",
            ],
            path: "Tests/Programs/StoreExerciser", swiftSettings: unoptimised),
        // Runs steps on a store while DiskFaults records or breaks its calls.
        .executableTarget(
            name: "DiskExerciser",
            dependencies: [
                "Platform", "ProfileCore", "ProfileStore", "ProfileStoreSQLite", "ProfileTransfer", "SecretHashing",
            ],
            path: "Tests/Programs/DiskExerciser", swiftSettings: unoptimised),
        .executableTarget(
            name: "PostgresExerciser",
            dependencies: ["Platform", "ProfileCore", "SecretHashing", "ProfileStore", "ProfileStorePostgres"],
            path: "Tests/Programs/PostgresExerciser", swiftSettings: unoptimised),
        .executableTarget(
            name: "TerminalExerciser", dependencies: ["Platform", "TerminalUI"],
            path: "Tests/Programs/TerminalExerciser",
            swiftSettings: unoptimised),
        // Starts a program to which the kernel refuses files without a name (`O_TMPFILE`).
        .executableTarget(name: "WithoutUnnamedFiles", path: "Tests/Programs/WithoutUnnamedFiles"),
        // Makes the documents' pictures of screens, for `make picture`.
        .executableTarget(
            name: "ScreenPicture", dependencies: ["Platform", "ProfileTesting", "TerminalUI", "TextLayout"],
            path: "Tests/Programs/ScreenPicture",
            swiftSettings: unoptimised),
        // Compares the public declarations with those that are written down, for `make interface`.
        .executableTarget(name: "PublicInterface", path: "Tests/Programs/PublicInterface", swiftSettings: unoptimised),
        .testTarget(
            name: "ThreadsTests",
            dependencies: ["Platform", "ProfileTesting", "Threads", "ThreadExerciser", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileCoreTests", dependencies: ["Platform", "ProfileCore", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileFormTests",
            dependencies: ["ProfileCore", "ProfileForm", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "TextLayoutTests", dependencies: ["TextLayout", "Watchdog"], swiftSettings: unoptimised),
        .testTarget(
            name: "CSVStreamTests",
            dependencies: ["Platform", "CSVStream", "FuzzTargets", "InputFixtures", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SecretHashingTests",
            dependencies: ["Platform", "ProfileCore", "SecretHashing", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SQLiteAccessTests",
            dependencies: [
                "CSQLite", "Platform", "SQLiteAccess", "FaultVFS", "RawSQLite", "ProfileTesting", "Watchdog",
            ],
            swiftSettings: unoptimised),
        // Its suites that need a server run where PROFILES_TEST_POSTGRES names one.
        .testTarget(
            name: "PostgresAccessTests",
            dependencies: ["Platform", "PostgresAccess", "ProfileTesting", "Threads", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "PostgresProxyTests",
            dependencies: ["Platform", "Threads", "PostgresProxy", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "LinearizabilityTests", dependencies: ["Linearizability", "ProfileTesting", "Watchdog"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileStoreTests",
            dependencies: [
                "Platform", "ProfileCore", "SecretHashing", "ProfileStore", "ProfileTransfer",
                "ProfileStoreSQLite", "ProfileTesting", "SQLiteAccess", "StoreFixtures", "StoreExerciser", "RawSQLite",
                "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileStoreSQLiteTests",
            dependencies: [
                "Platform", "Threads", "ProfileCore", "SecretHashing", "ProfileStore", "ProfileTransfer",
                "ProfileLogin", "ProfileStoreSQLite", "ProfileTesting", "SQLiteAccess", "SQLiteMigrations",
                "StoreFixtures", "FaultVFS",
                "DiskExerciser", "ImportExerciser", "PowerLoss", "RawSQLite", "StoreExerciser", "Watchdog",
            ],
            swiftSettings: unoptimised),
        // Its suites run if PROFILES_TEST_POSTGRES names a server. The suites that break a server run if
        // PROFILES_TEST_CLUSTER names a cluster of three.
        .testTarget(
            name: "ProfileStorePostgresTests",
            dependencies: [
                "Platform", "ProfileCore", "SecretHashing", "ProfileStore", "PostgresAccess", "PostgresMigrations",
                "ProfileStorePostgres", "PostgresProxy", "PostgresExerciser", "Linearizability", "ProfileTesting",
                "ProfileTransfer", "StoreFixtures", "Threads", "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileTransferTests",
            dependencies: [
                "Platform", "ProfileCore", "SecretHashing", "CSVStream", "ProfileStore", "ProfileTransfer",
                "ProfileStoreSQLite", "ProfileTesting", "SQLiteAccess", "SchemaInference", "StoreFixtures",
                "InputFixtures", "FaultVFS", "ImportExerciser", "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SchemaInferenceTests",
            dependencies: [
                "Platform", "ProfileCore", "ProfileStore", "ProfileTransfer", "SchemaInference", "ProfileTesting",
                "StoreFixtures", "InputFixtures", "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SpreadsheetReadingTests",
            dependencies: [
                "CSVStream", "InputFixtures", "Platform", "ProfileCore", "ProfileStore", "ProfileTesting",
                "ProfileTransfer", "SchemaInference", "SpreadsheetReading", "Watchdog",
            ],
            exclude: ["Files"], swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileLoginTests",
            dependencies: [
                "ProfileCore", "SecretHashing", "ProfileStore", "ProfileLogin",
                "ProfileStoreSQLite",
                "ProfileTesting", "StoreFixtures", "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "TerminalUITests",
            dependencies: [
                "CVTerm", "Platform", "ProfileCore", "ProfileForm", "ProfileTesting", "ScreenPicture", "TerminalUI",
                "TextLayout", "TerminalExerciser", "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "ProfileTestingTests",
            dependencies: [
                "Platform", "ProfileCore", "ProfileForm", "ProfileStore", "ProfileLogin",
                "ProfileStoreSQLite", "ProfileTesting",
                "Watchdog",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "profiles", "Platform", "PostgresProxy", "ProfileCore", "ProfileStore", "ProfileStoreSQLite",
                "InputFixtures", "PowerLoss", "ProfileTesting", "RawSQLite", "Threads", "WithoutUnnamedFiles",
                "Watchdog",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Screens"], swiftSettings: unoptimised),
    ],
    swiftLanguageModes: [.v6]
)

if hasOnlyLibraries {
    // The tests of PostgreSQL need a server, except those of PostgresAccess.
    let omitted: Set = [
        "profiles", "TerminalUI", "CommandTests", "ProfileTestingTests", "TerminalUITests", "ScreenPicture",
        "TerminalExerciser", "WithoutUnnamedFiles", "PublicInterface", "ProfileStorePostgresTests", "PostgresExerciser",
        "PostgresProxyTests", "PostgresProxy", "LinearizabilityTests", "Linearizability",
    ]
    package.targets.removeAll { omitted.contains($0.name) }
    package.products.removeAll { $0.name == "profiles" }
    // The tests are not instrumented, because they build and run faster without it. Every program is linked with Platform.
    for target in package.targets where target.type == .regular && target.path == nil {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=address"])]
        if target.name == "Platform" { target.linkerSettings = [.unsafeFlags(["-sanitize=address"])] }
    }
}

if fuzzes {
    package.targets.append(
        .executableTarget(
            name: "Fuzzer", dependencies: ["Platform", "ProfileTesting", "FuzzTargets"], path: "Tests/Programs/Fuzzer",
            exclude: ["Corpus", "fuzz"], swiftSettings: unoptimised,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
    // Assertions stay on in optimised code. Code that only waits for threads is not counted, because it takes another
    // path each time, and every input would seem to be new.
    let counted: Set = [
        "CSVStream", "ProfileCore", "ProfileStore", "ProfileStoreSQLite", "ProfileTransfer", "SQLiteAccess",
        "SchemaInference",
    ]
    for target in package.targets where target.type == .regular {
        let flags = counted.contains(target.name) ? ["-sanitize=fuzzer"] : []
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(["-assert-config", "Debug"] + flags)]
    }
}
