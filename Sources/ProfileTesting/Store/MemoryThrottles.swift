internal import ProfileStore
internal import SecretHashing

/// The counts of consecutive failed login attempts in an in-memory store. There is one count for each combination of a
/// username and a kind of secret.
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
        /// Whether a profile has this name. The value is updated at each attempt. It is also updated when a profile
        /// gets this name or gives it up by a rename.
        var isKnown: Bool
    }

    private var entries: [Key: Entry] = [:]

    /// The usernames of failed attempts, with the number of failures. If several kinds of secrets were tried for a
    /// username, there is one element for each kind.
    var all: [(name: String, failures: Int)] {
        entries.map { (String(decoding: $0.key.name, as: UTF8.self), $0.value.state.failures) }
    }

    /// Admits and counts an attempt, or refuses it. If a name does not belong to a profile, it is unknown. At most
    /// `mostUnknownNames` unknown names are stored.
    mutating func admit(_ attempt: LoginAttempt, mostUnknownNames: Int) -> ThrottleState.Decision {
        let key = Key(attempt.username, attempt.kind)
        if entries[key] == nil { makeRoom(mostUnknownNames) }
        let (decision, state) = attempt.admitted(after: entries[key]?.state)
        entries[key] = Entry(state: state, attemptedAt: attempt.time, isKnown: attempt.isKnown)
        return decision
    }

    /// If an attempt was admitted but then not made, removes this attempt from the count.
    mutating func withdraw(_ attempt: LoginAttempt) {
        let key = Key(attempt.username, attempt.kind)
        entries[key] = LoginAttempt.withdrawn(from: entries[key]?.state).map { state in
            Entry(state: state, attemptedAt: attempt.time, isKnown: attempt.isKnown)
        }
    }

    /// Deletes the failure counts of a username.
    mutating func forget(_ username: String, _ kinds: [CredentialKind] = CredentialKind.allCases) {
        for kind in kinds { entries[Key(username, kind)] = nil }
    }

    /// Copies the failure counts of a renamed profile to its new name. Before that, deletes the failure counts of the
    /// new name if no profile had this name at the last attempt. The old name keeps its failure counts, but no longer
    /// belongs to a profile.
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

    /// If no profile had a username at the last attempt, deletes the failure counts of this username.
    mutating func forgetUnknown(_ username: String) {
        for kind in CredentialKind.allCases {
            let key = Key(username, kind)
            if entries[key]?.isKnown == false { entries[key] = nil }
        }
    }

    /// Makes room for another unknown name. If there are too many unknown names, deletes a few of the oldest ones.
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
