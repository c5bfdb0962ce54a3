extension ProfileSchema {
    /// The rules by which a file is read to compare it with profiles: without the secret, and without required fields
    /// other than the primary key. So a file that lacks a column can be compared by its other columns.
    package var forComparing: ProfileSchema {
        let open = openFields.map { field in
            var field = field
            field.isRequired = field.isPrimaryKey
            return field
        }
        let key = open.firstIndex { $0.isPrimaryKey } ?? 0
        return ProfileSchema(name: name, fields: open, primaryKeyIndex: key, importSettings: importSettings)
    }
}
