package import ProfileStore

extension Migration {
    /// The migrations of an SQLite file, in order. A test compares the list with the folder, and the checksums with
    /// the scripts.
    ///
    /// The version is also the `user_version` of the file. Every script must change the schema, because a running
    /// program of an earlier version detects a migration only by a changed schema.
    package static let sqlite = [
        Migration(
            version: 1, name: "V0001_profiles",
            checksum: "3591ca00a65a342fcb747f03a3060f511df9485dbe6118ed8f3f97e5789ed880",
            sql: PackageResources.V0001_profiles_sql),
        Migration(
            version: 2, name: "V0002_changes",
            checksum: "c8a4d4dff689be9062451cff3aa934bd1e419807e9677a0930c48d719a61fbe5",
            sql: PackageResources.V0002_changes_sql),
        Migration(
            version: 3, name: "V0003_counts",
            checksum: "a7c29e928f6b175a91bd9f2a66e17d777027589ff60a7038238d33fb28af4234",
            sql: PackageResources.V0003_counts_sql),
        Migration(
            version: 4, name: "V0004_writes",
            checksum: "55855a60581cddc2a89b99900ec939349801ac8d9a794d98338bbd86f532abe1",
            sql: PackageResources.V0004_writes_sql),
        Migration(
            version: 5, name: "V0005_accounts",
            checksum: "a9471e18409a99dd79a750123f76e2e166ea7e89d6c4772afa497d11bfb05a51",
            sql: PackageResources.V0005_accounts_sql),
        Migration(
            version: 6, name: "V0006_tokens",
            checksum: "2931db8a94673a36d628fda759fd57ea69764feec0794e2e7674693caa0728df",
            sql: PackageResources.V0006_tokens_sql),
        Migration(
            version: 7, name: "V0007_history",
            checksum: "dc9ed08cc30a589c11b811d5a2d5b6858fe6a258ac8b47c5eff658de7fa254af",
            sql: PackageResources.V0007_history_sql),
        Migration(
            version: 8, name: "V0008_devices",
            checksum: "7c98d2ec56931d4e1eb8d93df9bc6522b48e8c22d2d0343dba83874faee0b3f6",
            sql: PackageResources.V0008_devices_sql),
    ]
}
