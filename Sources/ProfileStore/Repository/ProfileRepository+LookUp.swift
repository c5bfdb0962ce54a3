internal import ProfileCore

extension ProfileRepository {
    /// The profile with this username, whatever the case of its ASCII letters; nil where there is none.
    public func profile(username: String) async throws(ProfileStoreError) -> Profile? {
        try await profile(.username(username))
    }

    /// The profile with this id; nil where there is none.
    public func profile(id: Int64) async throws(ProfileStoreError) -> Profile? { try await profile(.id(id)) }

    /// One page of the profiles that a query finds. A field that the schema does not know finds none.
    public func profiles(_ query: ProfileQuery) async throws(ProfileStoreError) -> ProfilePage {
        try await page(of: query, endingAfter: .max)
    }

    /// One page of what a query finds, which ends with the profile that takes it to so many bytes: after that one there
    /// may be no more.
    func page(of query: ProfileQuery, endingAfter mostBytes: Int) async throws(ProfileStoreError) -> ProfilePage {
        // Rules that do not know a field may not be the latest.
        if ProfileSearch(query, mostBytes, validator) == nil { try await refreshSchema() }
        return try await byLatestRules {
            $0.profiles.lazy.map(\.schemaVersion).max()
        } read: {
            rules throws(ProfileStoreError) in
            guard let search = ProfileSearch(query, mostBytes, rules.validator) else {
                return ProfilePage(profiles: [], next: nil)
            }
            return try await engine.page(search, under: rules)
        }
    }

    /// Every profile that a query finds, read page by page: what is committed meanwhile may or may not be among them.
    public func all(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) -> ProfileSequence {
        ProfileSequence(repository: self, query: query)
    }

    private func profile(_ key: ProfileKey) async throws(ProfileStoreError) -> Profile? {
        try await byLatestRules(latest: { $0?.schemaVersion }) { rules throws(ProfileStoreError) in
            try await engine.profile(key, under: rules)
        }
    }

    /// Reads by the rules that are known here, and again when there turn out to be later ones: what was found was judged by
    /// them and may have further fields, or a field is gone since a backup was restored.
    ///
    /// A row may claim a version that was never adopted, as only another program can have written it, so that it is no
    /// reason to look again and again.
    private func byLatestRules<Value>(
        latest: (Value) -> Int?, read: (AdoptedSchema) async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        var rules = adoptedSchema
        while true {
            let outcome: Result<Value, ProfileStoreError>
            do throws(ProfileStoreError) { outcome = .success(try await read(rules)) } catch {
                outcome = .failure(error)
            }
            switch outcome {
            case .success(let value):
                guard let version = latest(value), version > rules.version else { return value }
            case .failure(let error):
                guard case .schemaChanged = error else { throw error }
            }
            let refreshed = try await refreshSchema()
            guard refreshed.version > rules.version else { return try outcome.get() }
            rules = refreshed
        }
    }
}

extension ProfileSearch {
    /// Nil when a condition can hold for no profile.
    init?(_ query: ProfileQuery, _ mostBytes: Int, _ validator: ProfileValidator) {
        conditions = []
        for condition in query.conditions {
            guard let rules = validator.schema[condition.field], !rules.isSecret else { return nil }
            // A value that breaks the field's rules is looked up as it is: an invalid profile may hold it all the same.
            let value =
                condition.isPrefix
                ? condition.value : validator.storedForm(of: condition.value, in: condition.field) ?? condition.value
            guard !value.isEmpty || condition.isPrefix else { return nil }
            conditions.append(Condition(column: rules.column, value: value, isPrefix: condition.isPrefix))
        }
        onlyInvalid = query.onlyInvalid
        limit = max(1, min(query.limit, 100_000))
        after = query.after?.id ?? 0
        self.mostBytes = mostBytes
    }
}
