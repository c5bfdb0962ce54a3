// The columns in which a store keeps the values of the fields.
extension ProfileSchema {
    /// Finds for each field the earlier field that it continues. A field continues an earlier field if it keeps the
    /// stored values of the earlier field.
    ///
    /// A field with an assigned column continues the earlier field with this column. Any other field continues the
    /// earlier field that has its former name. If the field has the same former name in the earlier schema, it was
    /// renamed before, and the former name is ignored. If these rules find no earlier field, a field without an
    /// assigned column continues the earlier field with the same name.
    /// - Parameter earlier: The earlier schema.
    /// - Returns: The positions in the earlier schema; nil for each new field. No position occurs twice.
    package func sources(in earlier: ProfileSchema) -> [Int?] {
        var sources = [Int?](repeating: nil, count: fields.count)
        var taken: Set<Int> = []
        func take(_ source: Int?, _ index: Int) {
            let field = fields[index]
            guard sources[index] == nil, let source, earlier.fields[source].isPrimaryKey == field.isPrimaryKey,
                earlier.fields[source].isSecret == field.isSecret, taken.insert(source).inserted
            else { return }
            sources[index] = source
        }
        for (index, field) in fields.enumerated() {
            if let column = field.assignedColumn {
                take(earlier.fields.firstIndex { !$0.isSecret && $0.column == column }, index)
            } else if let former = field.formerName, earlier[field.name]?.formerName != former {
                take(earlier.index(of: former), index)
            }
        }
        for (index, field) in fields.enumerated() where field.assignedColumn == nil {
            take(earlier.index(of: field.name), index)
        }
        return sources
    }

    /// Returns the rules without the columns that a store has assigned.
    package var withoutColumns: ProfileSchema {
        placing(fields.map { _ in nil })
    }

    /// Returns the schema with the columns that its fields get when a store adopts it.
    ///
    /// A field with an assigned column keeps it. A field that continues a field of the schema in force has the column
    /// of that field; see ``sources(in:)``. If only older versions have a field with the former name, the column is
    /// taken from the latest of these versions. A new field gets a column that no version has used, so the values of
    /// removed fields never appear in it.
    /// - Parameter versions: All schemas that were ever in force, oldest first. Empty for a new store: then each field
    ///   gets its default column.
    /// - Returns: The schema, with a column for every field that is not secret.
    package func placed(after versions: [ProfileSchema]) -> ProfileSchema {
        guard let inForce = versions.last else {
            return placing(fields.map { $0.isPrimaryKey ? .username : FieldColumn(of: $0.name) })
        }
        let sources = sources(in: inForce)
        var columns = fields.indices.map { index -> FieldColumn? in
            if fields[index].isPrimaryKey { return .username }
            return fields[index].assignedColumn ?? sources[index].map { inForce.fields[$0].column }
        }
        var used = Set(versions.flatMap(\.openFields).map(\.column))
        for (index, field) in fields.enumerated() where columns[index] == nil && !field.isSecret {
            let removed = field.formerName.flatMap { former in
                versions.reversed().lazy.compactMap { $0[former] }.first { !$0.isPrimaryKey && !$0.isSecret }
            }
            if let column = removed?.column, !columns.contains(column) {
                columns[index] = column
            } else {
                let column = FieldColumn(of: field.name, besides: used)
                used.insert(column)
                columns[index] = column
            }
        }
        return placing(columns)
    }

    /// Assigns columns. A secret field never gets a column.
    private func placing(_ columns: [FieldColumn?]) -> ProfileSchema {
        let fields = zip(fields, columns).map { field, column in
            var field = field
            field.assignedColumn = field.isSecret ? nil : column
            return field
        }
        return ProfileSchema(
            name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: importSettings)
    }
}
