public import ProfileCore
public import SecretHashing

/// The dialogue in which a passcode is created, validated or edited (P1–P5), as a value that knows neither screen nor store.
///
/// Entries go in one after another; when the last is in, out comes what is to be done.
public struct PasscodeFlow: Sendable {
    /// Which of the three dialogues it is.
    public let kind: Kind
    private let policy: PasscodePolicy
    private var entries: [Secret] = []

    /// Begins a dialogue.
    ///
    /// - Parameters:
    ///   - kind: which one.
    ///   - policy: what a new passcode has to be like.
    public init(_ kind: Kind, policy: PasscodePolicy = .standard) {
        self.kind = kind
        self.policy = policy
    }

    /// The title of a dialog that shows an error of the flow.
    public static let messageTitle = "Error"

    /// What the next entry is, or nil when all were made.
    public var prompt: Entry? {
        entries.count < kind.entries.count ? kind.entries[entries.count] : nil
    }

    /// Takes the next entry.
    ///
    /// An entry that is refused takes the other one of the new passcode with it; a present passcode stays entered.
    ///
    /// - Returns: what is to be done, when this was the last entry; nil before, and after.
    /// - Throws: `PasscodeFlowError` when the entry does not do.
    public mutating func enter(_ secret: Secret) throws(PasscodeFlowError) -> Request? {
        switch prompt {
        case nil:
            return nil
        case .present:
            break
        case .new:
            if let violation = policy.violation(of: secret) { throw .violation(violation) }
            if let present = entries.last, NFC.form(of: present) == NFC.form(of: secret) { throw .notDifferent }
        case .repeated:
            if let new = entries.last, NFC.form(of: new) != NFC.form(of: secret) {
                entries.removeLast()
                throw .mismatch
            }
        }
        entries.append(secret)
        guard prompt == nil else { return nil }
        return switch kind {
        case .create: .create(new: entries[0])
        case .validate: .validate(entries[0])
        case .edit: .edit(present: entries[0], new: entries[1])
        }
    }

    /// The three dialogues.
    public enum Kind: String, Sendable, CaseIterable {
        /// Sets the passcode of a profile that has none; it is entered twice.
        case create
        /// Checks the passcode that is stored.
        case validate
        /// Checks the passcode that is stored and replaces it with another, which is entered twice.
        case edit

        /// The title of the screen.
        public var title: String {
            switch self {
            case .create: "Create Pass Code"
            case .validate: "Validate Pass Code"
            case .edit: "Edit Pass Code"
            }
        }

        /// The entries that are asked for, in order.
        public var entries: [Entry] {
            switch self {
            case .create: [.new, .repeated]
            case .validate: [.present]
            case .edit: [.present, .new, .repeated]
            }
        }
    }

    /// What one entry means.
    public enum Entry: String, Sendable {
        /// The passcode that is stored.
        case present
        /// The one that is to be stored.
        case new
        /// The new one again.
        case repeated
    }

    /// What is to be done once everything was entered.
    public enum Request: Sendable, Equatable {
        /// Set the passcode of a profile that has none.
        case create(new: Secret)
        /// Check the passcode.
        case validate(Secret)
        /// Check the present passcode and replace it, in one transaction.
        case edit(present: Secret, new: Secret)
    }
}

/// Why an entry in a passcode dialogue is refused.
public enum PasscodeFlowError: Error, Equatable, Sendable {
    /// The two entries of a new passcode are not the same.
    case mismatch
    /// The new passcode is the present one.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
}
