package import ProfileCore
internal import SecretHashing

/// The parts of a store that a copy includes in addition to the profiles. Sessions, devices, resets, failed attempts,
/// keys of writes, the log of changes and the history are not copied.
package struct StoreHead: Sendable {
    /// Every schema that was ever in force, oldest first.
    package let schemas: [AdoptedSchema]
    /// The access tokens, sorted by their hashes.
    package let tokens: [StoredToken]
    /// The id that the next profile gets.
    package let nextProfileID: Int64
    /// Whether the store has no profiles.
    package let isEmpty: Bool
    /// The ``fingerprint`` of the source store, if this store is an unfinished copy; otherwise nil.
    package let copyOf: String?

    package init(
        schemas: [AdoptedSchema], tokens: [StoredToken], nextProfileID: Int64, isEmpty: Bool, copyOf: String?
    ) {
        self.schemas = schemas
        self.tokens = tokens.sorted { $0.hash.text < $1.hash.text }
        self.nextProfileID = nextProfileID
        self.isEmpty = isEmpty
        self.copyOf = copyOf
    }

    /// A hash that identifies a store. An unfinished copy uses it to recognize its source store. It is the SHA-256 of
    /// all schemas that were ever in force, with the times of their adoption.
    package var fingerprint: String {
        let lines = schemas.map { "\($0.version) \($0.fingerprint) \($0.adoptedAt.millisecondsSince1970)\n" }
        return SHA256.hexadecimal(Array(lines.joined().utf8).span)
    }

    /// The non-secret fields of all schemas, one field for each column of the store.
    package var fields: [FieldRules] {
        var columns: Set<FieldColumn> = []
        return schemas.flatMap(\.schema.openFields).filter { columns.insert($0.column).inserted }
            .sorted { $0.column < $1.column }
    }

    /// Returns whether a copy of another store into this store starts or continues.
    ///
    /// A new copy can start only in an unused store. This store must have exactly one schema, and its rules must be the
    /// first rules of the other store.
    /// - Parameters:
    ///   - other: The other store.
    ///   - restarting: Whether the call discards an unfinished copy in this store, even a copy of a third store.
    ///   - place: The place of this store, for errors.
    /// - Returns: True if a new copy starts. False if the call continues an unfinished copy of the other store.
    /// - Throws: `notUnused` if a new copy cannot start here; `unfinishedCopy` if this store is an unfinished copy of a
    ///   third store.
    package func beginsCopy(
        of other: StoreHead, restarting: Bool, at place: String
    ) throws(ProfileStoreError) -> Bool {
        guard let copyOf else {
            let isUnused = isEmpty && nextProfileID == 1 && tokens.isEmpty
            guard isUnused, schemas.map(\.fingerprint) == other.schemas.prefix(1).map(\.fingerprint) else {
                throw .notUnused(path: place)
            }
            return true
        }
        guard restarting || copyOf == other.fingerprint else { throw .unfinishedCopy(path: place) }
        return restarting
    }
}

extension StoreHead: Equatable {
    /// Returns whether two stores have the same content, apart from the profiles.
    package static func == (left: Self, right: Self) -> Bool {
        left.fingerprint == right.fingerprint && left.tokens == right.tokens
            && left.nextProfileID == right.nextProfileID
    }
}
