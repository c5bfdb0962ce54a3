public import ProfileCore

// Merging two profiles that describe the same person or thing (D5).
extension ProfileRepository {
    /// Merges two profiles into one. The kept profile gets the values of a draft, and the other profile is removed.
    ///
    /// The kept profile keeps its id, its password, its passcode and its sessions, and its revision rises by one. The
    /// credentials and sessions of the removed profile end. One transaction makes both changes, and they are one change
    /// of the history. ``undo(_:overridingLaterChanges:isPreview:by:)`` reverts this change.
    ///
    /// The draft may contain unique values of the removed profile, such as its username.
    ///
    /// ```swift
    /// var draft = anna.draft
    /// draft["phone"] = anna2.draft["phone"]
    /// let merged = try await repository.merge(anna2, into: anna, with: draft)
    /// ```
    /// - Parameters:
    ///   - removed: The profile to remove, as it was read.
    ///   - kept: The profile to keep, as it was read.
    ///   - draft: The values of the merged profile. A password or a hash in the draft is ignored.
    ///   - author: The author of the change.
    /// - Returns: The merged profile.
    /// - Throws: `staleRevision` or `notFound` if one of the two profiles was changed or removed after it was read;
    ///   `notFound` also if both profiles have the same id; `invalid` with the issues of the draft; `duplicate` if
    ///   another profile has one of the unique values; `schemaChanged`; `busy`; … If one of the named errors is thrown,
    ///   nothing was written.
    public func merge(
        _ removed: Profile, into kept: Profile, with draft: ProfileDraft, by author: Author? = nil
    ) async throws(ProfileStoreError) -> Profile {
        guard removed.id != kept.id else { throw .notFound(username: removed.username) }
        // The sessions of the removed profile may be in the cache.
        defer { tokenLooks.forget() }
        return try await call { () throws(ProfileStoreError) in
            let rules = adoptedSchema
            try rules.require(kept.schema)
            let merged = try await merged(draft, into: kept, under: rules)
            let stamp = stamp(author)
            let writes = merged.rows.merging(removed, into: kept, judgedBy: rules.schema)
            _ = try await learningOfRules { () throws(ProfileStoreError) in
                try await ask(.merge, rows: \.count, await engine.apply(writes, stamp))
            }
            return Profile(
                id: kept.id, revision: kept.revision + 1, createdAt: kept.createdAt, updatedAt: stamp.time,
                schemaVersion: rules.version, issues: [], hasPassword: kept.hasPassword, schema: rules.schema,
                values: rules.schema.openFields.map { merged[$0.name] })
        }
    }

    private func merged(
        _ draft: ProfileDraft, into kept: Profile, under rules: AdoptedSchema
    ) async throws(ProfileStoreError) -> ValidProfile {
        var draft = draft
        (draft.password, draft.passwordHash) = (nil, nil)
        do throws(ValidationFailure) {
            return try rules.validator.validate(draft, on: today, hasPassword: kept.hasPassword)
        } catch {
            // Other rules may be in force, and they may accept the draft.
            let version = try await refreshSchema().version
            throw version == rules.version ? .invalid(error) : .schemaChanged(version: version)
        }
    }
}

extension ValidProfiles {
    /// Returns the writes of a merge, which are made together or not at all. This collection has one row: the new
    /// values of the kept profile.
    ///
    /// The kept profile is updated even if the merge changes none of its values. So the history of the merge contains
    /// both profiles. And if another writer has changed the kept profile, the engine refuses the merge.
    fileprivate func merging(
        _ removed: Profile, into kept: Profile, judgedBy schema: ProfileSchema
    ) -> ConditionalWrites {
        let changed = fields(ofRow: 0, differingFrom: kept)
        let recorded = RecordedValues(of: changed, in: RecordedColumns(schema), to: self, row: 0) {
            kept.value(ofField: $0)
        }
        var writes = ConditionalWrites(of: self, judgedBy: schema, allOrNothing: true)
        writes.append(.remove(removed))
        writes.append(
            .update(
                RowUpdate(
                    id: kept.id, revision: kept.revision, with: self, row: 0, fields: changed, recorded: recorded),
                of: kept))
        return writes
    }
}
