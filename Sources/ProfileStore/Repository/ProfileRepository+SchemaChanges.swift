public import ProfileCore

extension ProfileRepository.Rules {
    /// Renames fields of the schema in force. The profiles keep their values; nothing else changes.
    ///
    /// A write that uses an old name is refused as `unknown_field`. Imports still accept the old name in the header of a
    /// file.
    /// - Parameters:
    ///   - names: The new names by the old ones. Two fields may swap their names.
    ///   - author: The author of the change.
    /// - Returns: The version of the schema.
    /// - Throws: `SchemaFailure` if the result is no valid schema; ``ProfileStoreError`` if the store cannot adopt it,
    ///   `schemaChanged` if another schema came into force meanwhile.
    @discardableResult
    public func rename(_ names: [FieldName: FieldName], by author: Author? = nil) async throws -> Int {
        let inForce = try await repository.refreshSchema()
        let renamed = try inForce.schema.renaming(names)
        return try await adopt(renamed, expecting: inForce.version, repository.stamp(author))
    }

    /// Puts an earlier schema in force again, as the next version. Its fields have the values that they had under that
    /// schema, unless later writes have changed these values.
    ///
    /// - Parameters:
    ///   - version: The version. It comes from ``versions()``.
    ///   - author: The author of the change.
    /// - Returns: The number of the new version.
    /// - Throws: ``ProfileStoreError``, as ``adopt(_:expecting:by:key:)`` throws it.
    @discardableResult
    public func adopt(
        again version: SchemaVersion, by author: Author? = nil
    ) async throws(ProfileStoreError) -> Int {
        try await adopt(version.schema, repository.stamp(author))
    }

    /// Puts a schema in force. Fields with assigned columns keep them.
    func adopt(
        _ schema: ProfileSchema, expecting expected: Int? = nil, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Int {
        try await repository.learningOfRules { () throws(ProfileStoreError) in
            let (inForce, version) = try await repository.ask(
                .adopt, await repository.engine.adopt(schema, expecting: expected, stamp))
            repository.keep(inForce)
            return version
        }
    }

    /// Rewrites the values whose stored form differs under the schema in force. This is necessary, for example, after
    /// the type of a field has changed from text to date, or after a mask has changed.
    ///
    /// Each profile is read by the schema that last validated it, so an interrupted conversion can be repeated. A profile
    /// that would be invalid is left as it is. Like every edit of many profiles, the conversion is one change of the
    /// history. Convert before you revalidate: a value that revalidation has found valid is not converted.
    /// - Parameter author: The author of the change.
    /// - Returns: The number of converted profiles, and the profiles that are left as they are.
    /// - Throws: The error that stopped the call, with a report of the previous transactions.
    public func convert(by author: Author? = nil) async throws(StoppedWrite<EditReport>) -> EditReport {
        let conversion: ValueConversion
        let schema: ProfileSchema
        do throws(ProfileStoreError) {
            schema = try await repository.refreshSchema().schema
            conversion = ValueConversion(to: schema, from: try await repository.adoptedSchemas())
        } catch {
            throw StoppedWrite(error, after: EditReport())
        }
        guard !conversion.isEmpty else { return EditReport() }
        let all = ChosenProfiles(matching: ProfileQuery())
        return try await repository.edit(all, isPreview: false, by: author) { profile, draft in
            // If other rules came into force meanwhile, `conversion` does not apply to a profile that has these rules.
            guard profile.schema == schema else { return false }
            var isConverted = false
            for (index, field) in schema.fields.enumerated() {
                guard let text = profile.value(ofField: index) else { continue }
                let reading = conversion.reading(
                    ofField: index, judgedBy: profile.schemaVersion,
                    hasIssue: profile.issues.contains { $0.field == field.name.text })
                guard let value = reading.draftValue(text) else { continue }
                draft[field.name] = value
                isConverted = true
            }
            return isConverted
        }
    }

    /// Returns the effects that a schema would have on stored values: values that it would not read, and values whose
    /// stored form would change. Reads every profile, unless the comparison of the schemas shows that the schema has no
    /// such effect.
    ///
    /// - Parameter candidate: The schema. A field to which this store has assigned a column keeps that column.
    /// - Returns: One effect for each field that has affected values.
    /// - Throws: ``ProfileStoreError``.
    package func effects(of candidate: ProfileSchema) async throws(ProfileStoreError) -> [FieldEffect] {
        let versions = try await repository.adoptedSchemas()
        guard let inForce = versions.last else { return [] }
        let schema = candidate.placed(after: versions.map(\.schema))
        let conversion = ValueConversion(to: schema, from: versions)
        var effects = FieldEffect.possible(of: schema, on: inForce.schema, versions.dropLast(), conversion)
        guard !effects.isEmpty else { return [] }
        let validator = ProfileValidator(schema)
        var scan = StoreScan(
            fields: effects.map(\.rules), includesJudgements: true, mostRows: 8_000, mostBytes: 4 << 20)
        while let rows = try await repository.nextPage(of: &scan) {
            for (row, record) in rows.rows.enumerated() {
                for index in effects.indices where !rows.isAbsent(row, index) {
                    effects[index].count(
                        rows.cell(row, index), judgedBy: record.judgement?.schemaVersion ?? 0, by: validator, conversion
                    )
                }
            }
        }
        return effects.filter { $0.values > 0 }
    }
}
