extension ProfileSchema {
    /// Returns the schema with other names for some fields. If a store adopts it, the renamed fields keep their values.
    ///
    /// The old name becomes the field's ``FieldRules/formerName``, so files with the old header still fit. An older former
    /// name becomes one of its ``FieldRules/columns``. If the title of a field is its name in words, the title changes too.
    /// - Parameter names: The new names by the old ones. Two fields may swap their names.
    /// - Returns: The schema with the new names. Names of fields that the schema does not have are ignored.
    /// - Throws: The errors of the renamed schema, if it is invalid. For example, a new name may already be the name of
    ///   another field.
    public func renaming(_ names: [FieldName: FieldName]) throws(SchemaFailure) -> ProfileSchema {
        let taken = Set(fields.map { FoldedHeader((names[$0.name] ?? $0.name).text) })
        let fields = fields.map { field in
            var field = field
            guard let name = names[field.name], name != field.name else {
                // The field that is renamed now gets this former name. Two fields cannot have the same former name.
                if let former = field.formerName, names[former] != nil { field.formerName = nil }
                return field
            }
            if let former = field.formerName, !taken.contains(FoldedHeader(former.text)),
                !field.columns.contains(former.text)
            {
                field.columns.append(former.text)
            }
            if field.title == FieldRules.title(of: field.name) { field.title = FieldRules.title(of: name) }
            field.formerName = field.name
            field.name = name
            return field
        }
        var settings = importSettings
        settings.contentFields = settings.contentFields.map { text in
            FieldName(text).flatMap { names[$0] }?.text ?? text
        }
        let renamed = ProfileSchema(
            name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: settings)
        _ = try ProfileSchema(parsing: renamed.document())
        return renamed
    }
}
