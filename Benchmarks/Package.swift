// swift-tools-version: 6.2
import PackageDescription

/// The benchmarks are a separate package, because only they depend on GRDB, which they compare with.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "profiles", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(name: "RawLookup", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Lookups",
            dependencies: [
                "RawLookup",
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // Replaces SQLite's syncs by pauses of a set length. A length of zero measures without syncs.
        .target(name: "SyncCost", linkerSettings: [.linkedLibrary("sqlite3")]),
        // Replaces password hashing, so that logins are measured without it.
        .target(name: "LoginStubs"),
        .executableTarget(
            name: "Searches",
            dependencies: [
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
            ]),
        .executableTarget(
            name: "StoreLoad",
            dependencies: [
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "ProfileStorePostgres", package: "profiles"),
            ]),
        .executableTarget(
            name: "Logins",
            dependencies: [
                "LoginStubs", "SyncCost",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileLogin", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
            ]),
        .target(name: "RawWrites", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Writes",
            dependencies: [
                "RawWrites", "SyncCost",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
