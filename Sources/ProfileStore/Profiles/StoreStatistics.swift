public import ProfileCore

/// The number of stored profiles and the size of a store.
public struct StoreStatistics: Hashable, Sendable {
    /// The number of all profiles, valid or not.
    public let profiles: Int
    /// The number of profiles that revalidation found invalid.
    public let invalid: Int
    /// The number of profiles with a password.
    public let withPassword: Int
    /// The number of profiles with a passcode.
    public let withPasscode: Int
    /// The version of the schema in force. The first version is 1.
    public let schemaVersion: Int
    /// The number of the newest change, which rises with every commit that changes profiles or the schema.
    public let changeNumber: Int64
    /// The size of the database file, in bytes. On PostgreSQL, the size of the table of profiles with its indexes.
    public let fileBytes: Int64
    /// The size of the write-ahead log beside the database file, in bytes. On PostgreSQL, it is 0.
    public let walBytes: Int64

    package init(
        profiles: Int, invalid: Int, withPassword: Int, withPasscode: Int, schemaVersion: Int, changeNumber: Int64,
        fileBytes: Int64, walBytes: Int64
    ) {
        self.profiles = profiles
        self.invalid = invalid
        self.withPassword = withPassword
        self.withPasscode = withPasscode
        self.schemaVersion = schemaVersion
        self.changeNumber = changeNumber
        self.fileBytes = fileBytes
        self.walBytes = walBytes
    }
}

extension StoreStatistics: JSONEncodable {
    /// The counts in the format of `check --format json`, then the sizes `file_bytes` and `wal_bytes`.
    public var json: JSONValue {
        [
            "profiles": .number(profiles), "invalid": .number(invalid), "with_password": .number(withPassword),
            "with_passcode": .number(withPasscode), "schema_version": .number(schemaVersion),
            "change_number": .number(changeNumber), "file_bytes": .number(fileBytes), "wal_bytes": .number(walBytes),
        ]
    }
}
