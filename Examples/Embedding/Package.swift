// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Embedding",
    dependencies: [.package(name: "profiles", path: "../..", traits: ["Foundation"])],
    targets: [
        .executableTarget(
            name: "Embedding",
            dependencies: [
                .product(name: "ProfileCore", package: "profiles"),
                .product(name: "ProfileStore", package: "profiles"),
                .product(name: "ProfileStoreSQLite", package: "profiles"),
                .product(name: "ProfileTransfer", package: "profiles"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
