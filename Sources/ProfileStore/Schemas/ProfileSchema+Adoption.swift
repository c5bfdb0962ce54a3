package import ProfileCore

// Before an engine puts a schema in force, it uses these checks and preparations.
extension ProfileSchema {
    /// Checks that this schema and the stored profiles have the same primary key. The key can have a new name. Call
    /// this before `placed(after:)`: it gives all primary keys the same column, so the check would always succeed.
    ///
    /// - Parameters:
    ///   - inForce: The schema in force; nil in a new store.
    ///   - hasProfiles: Whether the store has profiles.
    /// - Throws: `otherPrimaryKey`.
    package func requireKey(of inForce: ProfileSchema?, hasProfiles: Bool) throws(ProfileStoreError) {
        guard hasProfiles, let inForce, sources(in: inForce)[primaryKeyIndex] == nil else { return }
        throw .otherPrimaryKey(primaryKey.name, inForce: inForce.primaryKey.name)
    }

    /// Returns the columns that must be added to the table of profiles for the fields.
    ///
    /// - Parameters:
    ///   - count: The number of columns of the table.
    ///   - limit: The maximum number of columns.
    ///   - hasColumn: Returns whether the table has the column of a field.
    /// - Returns: The missing columns, in the order of the fields.
    /// - Throws: `tooManyColumns`.
    package func missingColumns(
        inTableOf count: Int, atMost limit: Int, _ hasColumn: (FieldColumn) -> Bool
    ) throws(ProfileStoreError) -> [FieldColumn] {
        let missing = openFields.map(\.column).filter { !hasColumn($0) }
        guard count + missing.count <= limit else { throw .tooManyColumns(limit: limit) }
        return missing
    }

    /// The unique fields that need their own index. The primary key is not among them, because every store has an index
    /// of its primary key.
    package var uniqueFields: [FieldRules] { fields.filter { $0.isUnique && !$0.isPrimaryKey } }

    /// The fields that have an index only for look-ups.
    package var indexedFields: [FieldRules] { fields.filter { $0.isIndexed && !$0.isUnique } }
}
