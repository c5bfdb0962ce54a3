// swift-tools-version: 6.2
import PackageDescription

/// The settings of the main package.
let strictness: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .treatWarning("ExplicitSendable", as: .warning),
]

/// The programs with which the benchmark compares the service. Only the benchmark builds them.
let yardsticks: [Target] =
    Context.environment["PROFILES_SERVER_YARDSTICKS"] == nil
    ? []
    : [
        .executableTarget(
            name: "BareService", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            path: "Benchmarks/BareService"),
        .executableTarget(
            name: "BenchmarkStore",
            dependencies: [
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
            ],
            path: "Benchmarks/BenchmarkStore"),
    ]

let package = Package(
    name: "profiles-server",
    products: [
        .library(name: "ProfileServer", targets: ["ProfileServer"]),
        .library(name: "HTTPBounds", targets: ["HTTPBounds"]),
        .library(name: "PrometheusMetrics", targets: ["PrometheusMetrics"]),
        .executable(name: "profiles-server", targets: ["profiles-server"]),
    ],
    traits: [
        .trait(
            name: "Postgres",
            description: "The service knows stores in PostgreSQL databases, and is linked with libpq.")
    ],
    dependencies: [
        .package(
            name: "profiles", path: "..",
            traits: [.trait(name: "Postgres", condition: .when(traits: ["Postgres"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: yardsticks + [
        // The bounds of a connection: sizes, times and counts, before any work is done for it.
        .target(
            name: "HTTPBounds",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: strictness),
        // The process's metrics as the text that Prometheus reads.
        .target(
            name: "PrometheusMetrics", dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: strictness),
        .target(
            name: "ProfileServer",
            dependencies: [
                "HTTPBounds",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileLogin", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileTransfer", package: "profiles"),
                .product(name: "SecretHashing", package: "profiles"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strictness),
        .executableTarget(
            name: "profiles-server",
            dependencies: [
                "CProcess", "HTTPBounds", "PrometheusMetrics", "ProfileServer",
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "ProfileStorePostgres", package: "profiles", condition: .when(traits: ["Postgres"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictness),
        // prctl(2), which Swift cannot call.
        .target(name: "CProcess"),
        .executableTarget(
            name: "EmbeddedService",
            dependencies: [
                "ProfileServer",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strictness),
        // Makes the stores of Tests/Programs.
        .executableTarget(
            name: "StoreMaker",
            dependencies: [
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
            ],
            path: "Tests/Programs/StoreMaker", swiftSettings: strictness),
        .testTarget(
            name: "ProfileServerTests",
            dependencies: [
                "HTTPBounds", "ProfileServer",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "SecretHashing", package: "profiles"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strictness),
        .testTarget(
            name: "HTTPBoundsTests",
            dependencies: [
                "HTTPBounds",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strictness),
        .testTarget(
            name: "PrometheusMetricsTests",
            dependencies: ["PrometheusMetrics", .product(name: "CoreMetrics", package: "swift-metrics")],
            swiftSettings: strictness),
        .testTarget(
            name: "ServerCommandTests",
            dependencies: [
                "HTTPBounds", "ProfileServer", "profiles-server",
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "ProfileStorePostgres", package: "profiles", condition: .when(traits: ["Postgres"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictness),
    ],
    swiftLanguageModes: [.v6]
)
