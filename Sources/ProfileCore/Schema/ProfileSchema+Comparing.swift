extension ProfileSchema {
    /// The rules for reading a file that is compared with profiles. The secret field is omitted, and only the primary
    /// key is required. So a file that lacks a column can be compared by its other columns.
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
