/// A call of a client, with its times and its outcome.
///
/// A history leaves out a call that certainly had no effect and returned no information about the profile, for example
/// because the store was busy.
package struct Operation: Hashable, Sendable {
    package let process: Int
    package let username: String
    package let call: Call
    package let outcome: Outcome
    /// The times of the call and of its return, for example in nanoseconds. All times come from one monotonic clock. An
    /// operation comes before another one if its completion is less than the invocation of the other one.
    package let invocation: Int
    package let completion: Int

    package init(
        process: Int, username: String, _ call: Call, _ outcome: Outcome, invocation: Int, completion: Int
    ) {
        self.process = process
        self.username = username
        self.call = call
        self.outcome = outcome
        self.invocation = invocation
        self.completion = completion
    }

    package enum Call: Hashable, Sendable {
        case register(String)
        /// Changes the value if the profile exists with this revision. If the revision is nil, any revision is
        /// accepted.
        case edit(String, expecting: Int?)
        case remove
        case lookUp
    }

    package enum Outcome: Hashable, Sendable {
        /// The write was done. `revision` is the new revision. Nil if the client does not know it.
        case done(revision: Int? = nil)
        /// The look-up found this profile. Nil if there was no profile.
        case found(Entry?)
        /// The write was not done, for this reason.
        case refused(Reason)
        /// The outcome is unknown. A write may take effect at any time after its invocation, even after its completion,
        /// or never.
        case unknown
    }

    package enum Reason: Hashable, Sendable {
        /// A profile with this username exists.
        case taken
        /// No profile with this username exists.
        case absent
        /// The profile exists, but with this revision.
        case stale(revision: Int)
    }

    /// Whether the operation certainly did not change the profile.
    var changesNothing: Bool {
        switch outcome {
        case .found, .refused: true
        case .unknown: call == .lookUp
        case .done: false
        }
    }

    /// Returns the state after the operation if `entry` is the state before it. Nil if the operation would have another
    /// outcome in this state.
    func effect(on entry: Entry?) -> Effect? {
        let (after, right) = call.carriedOut(on: entry)
        switch (outcome, right) {
        case (.unknown, _), (.done(nil), .done): return Effect(entry: after)
        default: return outcome == right ? Effect(entry: after) : nil
        }
    }

    struct Effect {
        let entry: Entry?
    }
}

/// The properties of a profile that the search compares.
package struct Entry: Hashable, Sendable {
    /// The number of times that the profile was written.
    package let revision: Int
    package let value: String

    package init(revision: Int, value: String) {
        self.revision = revision
        self.value = value
    }
}

extension Operation.Call {
    /// Returns the state after the call and the expected outcome if `entry` is the state before the call, and no other
    /// call is in progress.
    func carriedOut(on entry: Entry?) -> (Entry?, Operation.Outcome) {
        switch (self, entry) {
        case (.register(let value), nil): (Entry(revision: 1, value: value), .done(revision: 1))
        case (.register, _): (entry, .refused(.taken))
        case (.lookUp, _): (entry, .found(entry))
        case (.edit, nil), (.remove, nil): (nil, .refused(.absent))
        case (.edit(let value, let expected), let entry?):
            expected ?? entry.revision == entry.revision
                ? (Entry(revision: entry.revision + 1, value: value), .done(revision: entry.revision + 1))
                : (entry, .refused(.stale(revision: entry.revision)))
        case (.remove, _): (nil, .done(revision: nil))
        }
    }
}
