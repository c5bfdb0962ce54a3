/// One call of a client's, with its times and what came of it.
///
/// One that certainly did nothing and learnt nothing, since the store was busy for example, is left out of a history.
package struct Operation: Hashable, Sendable {
    package let process: Int
    package let username: String
    package let call: Call
    package let outcome: Outcome
    /// When it was called and when it had returned, by one clock that never goes back, in nanoseconds for example. Of two
    /// operations the one comes first that had returned before the other was called; at the same time is not before.
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
        /// Changes the value, where the profile is there with this revision; with any revision where none is named.
        case edit(String, expecting: Int?)
        case remove
        case lookUp
    }

    package enum Outcome: Hashable, Sendable {
        /// A write was done; the revision that it made, where that was told.
        case done(revision: Int? = nil)
        /// What a look-up found; nil where nothing was there.
        case found(Entry?)
        /// A write was not done, for this reason.
        case refused(Reason)
        /// Nobody knows: a write takes effect some time after its invocation, also after its completion, or never.
        case unknown
    }

    package enum Reason: Hashable, Sendable {
        /// A profile with this username is there.
        case taken
        /// None is.
        case absent
        /// It is there with this revision.
        case stale(revision: Int)
    }

    /// Whether it left everything as it was.
    var changesNothing: Bool {
        switch outcome {
        case .found, .refused: true
        case .unknown: call == .lookUp
        case .done: false
        }
    }

    /// What is there after it, where this is there before it; nil where its outcome would have been another one.
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

/// A profile, as far as it is looked at.
package struct Entry: Hashable, Sendable {
    /// How often it was written.
    package let revision: Int
    package let value: String

    package init(revision: Int, value: String) {
        self.revision = revision
        self.value = value
    }
}

extension Operation.Call {
    /// What a store does that has nothing else to do: what is there afterwards, and what it answers.
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
