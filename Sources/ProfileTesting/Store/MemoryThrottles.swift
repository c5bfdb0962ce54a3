internal import ProfileStore
internal import SecretHashing

/// The counts of consecutive failed attempts of a store in memory, by the name that was tried and the kind of secret.
struct MemoryThrottles: Sendable {
    private struct Key: Hashable {
        let name: [UInt8]
        let kind: CredentialKind

        init(_ name: String, _ kind: CredentialKind) {
            self.name = Array(LoginAttempt.foldedName(name).utf8)
            self.kind = kind
        }
    }

    private struct Entry {
        var state: ThrottleState
        var attemptedAt: Timestamp
        /// Whether a profile had this name at the last attempt, or after the last renaming of a profile from or to
        /// this name.
        var isKnown: Bool
    }

    private var entries: [Key: Entry] = [:]

    /// The tried names with their numbers of failures. A name has one element for each kind of secret that was tried.
    var all: [(name: String, failures: Int)] {
        entries.map { (String(decoding: $0.key.name, as: UTF8.self), $0.value.state.failures) }
    }

    /// Counts an attempt, or refuses it. `mostUnknownNames` is the maximum number of remembered names without a
    /// profile.
    mutating func admit(_ attempt: LoginAttempt, mostUnknownNames: Int) -> ThrottleState.Decision {
        let key = Key(attempt.username, attempt.kind)
        if entries[key] == nil { makeRoom(mostUnknownNames) }
        let (decision, state) = attempt.admitted(after: entries[key]?.state)
        entries[key] = Entry(state: state, attemptedAt: attempt.time, isKnown: attempt.isKnown)
        return decision
    }

    /// Removes the count of an attempt that was admitted but not made.
    mutating func withdraw(_ attempt: LoginAttempt) {
        let key = Key(attempt.username, attempt.kind)
        entries[key] = LoginAttempt.withdrawn(from: entries[key]?.state).map { state in
            Entry(state: state, attemptedAt: attempt.time, isKnown: attempt.isKnown)
        }
    }

    /// Deletes the failures of a name.
    mutating func forget(_ username: String, _ kinds: [CredentialKind] = CredentialKind.allCases) {
        for kind in kinds { entries[Key(username, kind)] = nil }
    }

    /// Copies the failures of a profile to its new name. Failures at the new name do not count if they happened before
    /// a profile had that name. The old name keeps its failures as a name without a profile.
    mutating func move(from old: String, to new: String) {
        for kind in CredentialKind.allCases {
            let (oldKey, newKey) = (Key(old, kind), Key(new, kind))
            if oldKey == newKey { continue }
            if entries[newKey]?.isKnown == false { entries[newKey] = nil }
            guard var moved = entries[oldKey] else { continue }
            entries[oldKey]?.isKnown = false
            moved.isKnown = true
            if let present = entries[newKey] {
                moved.state = moved.state.stricter(or: present.state)
                moved.attemptedAt = max(moved.attemptedAt, present.attemptedAt)
            }
            entries[newKey] = moved
        }
    }

    /// Deletes the failures of a name if no profile had the name at the last attempt.
    mutating func forgetUnknown(_ username: String) {
        for kind in CredentialKind.allCases {
            let key = Key(username, kind)
            if entries[key]?.isKnown == false { entries[key] = nil }
        }
    }

    /// If there are too many unknown names to add one more, deletes a few of the oldest.
    private mutating func makeRoom(_ mostUnknownNames: Int) {
        let unknown = entries.filter { !$0.value.isKnown }
        let surplus = unknown.count - max(1, mostUnknownNames) + 1
        guard surplus > 0 else { return }
        let oldest = unknown.sorted { left, right in
            if left.value.attemptedAt != right.value.attemptedAt {
                return left.value.attemptedAt.millisecondsSince1970 < right.value.attemptedAt.millisecondsSince1970
            }
            if left.key.name != right.key.name { return left.key.name.lexicographicallyPrecedes(right.key.name) }
            return left.key.kind.rawValue < right.key.kind.rawValue
        }
        for (key, _) in oldest.prefix(min(surplus, Self.mostForgotten)) { entries[key] = nil }
    }

    /// The maximum number of names that one attempt deletes.
    private static let mostForgotten = 8
}
