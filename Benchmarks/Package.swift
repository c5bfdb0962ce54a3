// swift-tools-version: 6.2
import PackageDescription

/// The benchmarks are a package of their own, so that GRDB, which they compare with, stays here.
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
        // Syncs that take as long as they are told to, none for what is measured without them.
        .target(name: "SyncCost", linkerSettings: [.linkedLibrary("sqlite3")]),
        // What a login is measured without besides: hashes.
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
