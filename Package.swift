// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with the same strictness; CI turns the warnings into errors.
let strictness: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // `@_lifetime`, so that cells and columns are read as `Span`s that cannot outlive their buffer.
    .enableExperimentalFeature("Lifetimes"),
    // Public types say whether they are Sendable.
    .treatWarning("ExplicitSendable", as: .warning),
]

let package = Package(
    name: "profiles",
    products: [
        .library(name: "ProfileCore", targets: ["ProfileCore"]),
        .library(name: "ProfileStore", targets: ["ProfileStore"]),
        .library(name: "ProfileTesting", targets: ["ProfileTesting"]),
        .executable(name: "profiles", targets: ["profiles"]),
    ],
    traits: [
        .trait(
            name: "TestHooks",
            description: "The command honours scenarios and can be driven from outside: for tests, never to ship.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The control server of test runs; resolved and built under the trait alone.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
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
        .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
        .target(
            name: "Migrations",
            path: "Migrations",
            resources: [
                .embedInCode("V0001_profiles.sql"), .embedInCode("V0002_changes.sql"), .embedInCode("V0003_counts.sql"),
            ],
            swiftSettings: strictness),
        .target(name: "ProfileCore", dependencies: ["CPCRE2"], swiftSettings: strictness),
        .target(name: "TextLayout", swiftSettings: strictness),
        .target(name: "CSVStream", swiftSettings: strictness),
        .target(name: "SQLiteAccess", dependencies: ["CSQLite"], swiftSettings: strictness),
        .target(
            name: "ProfileStore",
            dependencies: [
                "ProfileCore", "TextLayout", "CSVStream", "SQLiteAccess", "Migrations", "CSodium", "CCrypt",
            ],
            swiftSettings: strictness),
        .target(name: "TerminalUI", dependencies: ["CLinux", "ProfileCore", "TextLayout"], swiftSettings: strictness),
        .target(
            name: "ProfileTesting",
            dependencies: [
                "CVTerm", "ProfileCore", "ProfileStore",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["TestHooks"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["TestHooks"])),
            ],
            swiftSettings: strictness),
        .executableTarget(
            name: "profiles",
            dependencies: [
                "CLinux", "ProfileCore", "ProfileStore", "TerminalUI", "TextLayout",
                .target(name: "ProfileTesting", condition: .when(traits: ["TestHooks"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strictness),
        // A trait for suites and tests, which ends those that hang.
        .target(
            name: "Watchdog", dependencies: ["ProfileTesting"], path: "Tests/Watchdog", swiftSettings: strictness),
        .testTarget(
            name: "ProfileCoreTests", dependencies: ["ProfileCore", "ProfileTesting", "Watchdog"],
            swiftSettings: strictness),
        .testTarget(
            name: "TextLayoutTests", dependencies: ["TextLayout", "Watchdog"], swiftSettings: strictness),
        .testTarget(
            name: "CSVStreamTests", dependencies: ["CSVStream", "ProfileTesting", "Watchdog"],
            swiftSettings: strictness),
        // A VFS over SQLite's own whose writes and syncs fail when a test says so.
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        // SQLite without anything of ours, to craft files with.
        .target(name: "RawSQLite", dependencies: ["CSQLite"], path: "Tests/RawSQLite", swiftSettings: strictness),
        .testTarget(
            name: "SQLiteAccessTests",
            dependencies: ["SQLiteAccess", "FaultVFS", "RawSQLite", "ProfileTesting", "Watchdog"],
            swiftSettings: strictness),
        // Processes of their own, which tests start, kill and look at; in no product.
        .executableTarget(
            name: "ImportExerciser", dependencies: ["ProfileCore", "ProfileStore"], path: "Tests/ImportExerciser",
            swiftSettings: strictness),
        .executableTarget(
            name: "StoreExerciser", dependencies: ["ProfileCore", "ProfileStore", "SQLiteAccess"],
            path: "Tests/StoreExerciser", swiftSettings: strictness),
        .testTarget(
            name: "ProfileStoreTests",
            dependencies: [
                "ProfileCore", "ProfileStore", "ProfileTesting", "SQLiteAccess", "CSVStream", "Migrations", "FaultVFS",
                "RawSQLite", "ImportExerciser", "StoreExerciser", "Watchdog",
            ],
            swiftSettings: strictness),
        .executableTarget(
            name: "TerminalExerciser", dependencies: ["TerminalUI"], path: "Tests/TerminalExerciser",
            swiftSettings: strictness),
        .testTarget(
            name: "TerminalUITests",
            dependencies: [
                "CVTerm", "ProfileCore", "ProfileTesting", "TerminalUI", "TextLayout", "TerminalExerciser", "Watchdog",
            ],
            swiftSettings: strictness),
        // Makes the README's picture of the form, for `make picture`.
        .executableTarget(
            name: "FormPicture", dependencies: ["ProfileTesting", "TerminalUI"], path: "Tests/FormPicture",
            swiftSettings: strictness),
        .testTarget(
            name: "ProfileTestingTests", dependencies: ["ProfileCore", "ProfileStore", "ProfileTesting", "Watchdog"],
            swiftSettings: strictness),
        // Starts a program for which no file system has files without a name.
        .executableTarget(name: "WithoutUnnamedFiles", path: "Tests/WithoutUnnamedFiles"),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "profiles", "ProfileCore", "ProfileStore", "ProfileTesting", "RawSQLite", "WithoutUnnamedFiles",
                "Watchdog", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Screens"], swiftSettings: strictness),
    ],
    swiftLanguageModes: [.v6]
)
