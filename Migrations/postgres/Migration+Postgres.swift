package import ProfileStore

extension Migration {
    /// The migrations of a PostgreSQL database, in order. A test compares the list with the folder, and the
    /// checksums with the scripts.
    package static let postgres = [
        Migration(
            version: 1, name: "V0001_store",
            checksum: "34105f2007702e3b7cddf45f9d23ccb3dda769998f0d8ce1db95f9d48d83d370",
            sql: PackageResources.V0001_store_sql),
        Migration(
            version: 2, name: "V0002_tokens",
            checksum: "1edcb0ce64805f938fba5efd8fd58cae13996317092e3f4e32eac60767a5d6b8",
            sql: PackageResources.V0002_tokens_sql),
        Migration(
            version: 3, name: "V0003_history",
            checksum: "db3908b288979480392edf6091cf586d8bf7fc02b50281937becaf0f26578114",
            sql: PackageResources.V0003_history_sql),
        Migration(
            version: 4, name: "V0004_devices",
            checksum: "a133e9497b86d81e413f63f4eba8137c4c6c8ac35940102b516b2f8d838b2975",
            sql: PackageResources.V0004_devices_sql),
    ]
}
