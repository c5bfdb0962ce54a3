public import ProfileCore
public import SecretHashing

/// The dialogue that creates, validates or edits a passcode (P1–P5). The dialogue is a value type. It does not use a
/// screen or a store.
///
/// Pass the user's entries to ``enter(_:)`` one after another. After the last entry, the method returns a request. The
/// caller performs this request.
public struct PasscodeFlow: Sendable {
    /// The kind of dialogue.
    public let kind: Kind
    private let policy: PasscodePolicy
    private var entries: [Secret] = []

    /// Starts a dialogue.
    ///
    /// - Parameters:
    ///   - kind: The kind of dialogue.
    ///   - policy: The rules for a new passcode.
    public init(_ kind: Kind, policy: PasscodePolicy = .standard) {
        self.kind = kind
        self.policy = policy
    }

    /// The title of a dialog that shows an error of the flow.
    public static let messageTitle = "Error"

    /// The next entry that the user must make; nil if the user has made all entries.
    public var prompt: Entry? {
        entries.count < kind.entries.count ? kind.entries[entries.count] : nil
    }

    /// Takes the next entry.
    ///
    /// The user enters a new passcode twice. If the second entry is refused, the first entry is discarded too, and the
    /// user enters the new passcode twice again. The user does not have to enter the present passcode again.
    ///
    /// - Returns: If this was the last entry, the request that the caller must perform. Otherwise nil.
    /// - Throws: `PasscodeFlowError` if the entry is refused.
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
        /// Sets the passcode of a profile without a passcode. The user enters the passcode twice.
        case create
        /// Checks the stored passcode.
        case validate
        /// Checks the stored passcode and replaces it with a new passcode. The user enters the new passcode twice.
        case edit

        /// The title of the screen.
        public var title: String {
            switch self {
            case .create: "Create Pass Code"
            case .validate: "Validate Pass Code"
            case .edit: "Edit Pass Code"
            }
        }

        /// The entries that the user must make, in order.
        public var entries: [Entry] {
            switch self {
            case .create: [.new, .repeated]
            case .validate: [.present]
            case .edit: [.present, .new, .repeated]
            }
        }
    }

    /// The meaning of an entry.
    public enum Entry: String, Sendable {
        /// The stored passcode.
        case present
        /// The new passcode.
        case new
        /// The new passcode, repeated.
        case repeated
    }

    /// A request that the caller performs after the last entry.
    public enum Request: Sendable, Equatable {
        /// Set the passcode of a profile without a passcode.
        case create(new: Secret)
        /// Check the stored passcode.
        case validate(Secret)
        /// Check the present passcode and replace it. The passcode is not replaced if it has changed after the check.
        case edit(present: Secret, new: Secret)
    }
}

/// The reason why an entry in a passcode dialogue is refused.
public enum PasscodeFlowError: Error, Equatable, Sendable {
    /// The two entries of the new passcode differ.
    case mismatch
    /// The new passcode is the same as the present passcode.
    case notDifferent
    /// The new passcode breaks the policy.
    case violation(PasscodeViolation)
}
