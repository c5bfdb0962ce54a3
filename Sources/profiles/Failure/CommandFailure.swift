internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

/// The reason why a command ends without success: an exit code, and a message that says what happened, where, and what
/// to do.
struct CommandFailure: Error {
    let status: ExitStatus
    /// The lines of the message. The first line says what happened and where. The other lines add details and say what
    /// to do. The array is empty if no message is needed, for example because standard output already shows the reason.
    let lines: [String]
    /// Whether the user left a form or another screen. The message then does not begin with `Error:`.
    private(set) var isChosen = false

    init(_ status: ExitStatus, _ lines: String...) { self.init(status, lines: lines) }

    init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// Makes the failure for a user who left a form or another screen. The sentence describes the result, for example
    /// that nothing was stored.
    static func left(_ status: ExitStatus, _ sentence: String) -> CommandFailure {
        var failure = CommandFailure(status, sentence)
        failure.isChosen = true
        return failure
    }

    /// Makes the failure for an error of one of the libraries, or for a cancellation. A `CommandFailure` stays
    /// unchanged. Returns nil for any other error.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ProfileStoreError: self.init(error)
        case let error as CredentialError: self.init(error)
        case let error as PasscodeFlowError: self.init(error)
        case let error as LoginError: self.init(error)
        case let error as ImportError: self.init(error)
        case let error as InferenceError: self.init(error)
        case let error as ExportError: self.init(error)
        case let error as ComparisonError: self.init(error)
        case let error as SchemaFailure: self.init(error)
        case is CancellationError: self.init(.interrupted, "Interrupted")
        default: return nil
        }
    }
}

extension CommandFailure {
    init(_ failure: SchemaFailure) { self.init(failure, of: "The schema") }

    /// Makes the failure for a refused schema. `schema` is the name that the message uses for the schema, such as its
    /// path.
    init(_ failure: SchemaFailure, of schema: String) {
        if failure.errors.count == 1, let error = failure.errors.first {
            self.init(.badConfiguration, "\(schema) is refused at \(error.path): \(error.reason.text)")
        } else {
            // If a file is not a schema, it may have very many errors, so only the first errors are shown.
            let shown = failure.errors.prefix(Self.mostSchemaErrors).map(\.description)
            let rest = failure.errors.count - shown.count
            self.init(
                .badConfiguration,
                lines: ["\(schema) is refused at \(failure.errors.count) places"] + shown
                    + (rest > 0 ? ["… and at \(rest) more"] : []))
        }
    }

    private static let mostSchemaErrors = 100

    /// Returns a text with the first names and the number of the other names.
    static func list(_ names: [String], most: Int = mostNames, separator: String = ", ") -> String {
        let more = names.count > most ? " and \(names.count - most) more" : ""
        return names.prefix(most).joined(separator: separator) + more
    }

    /// The default number of names in a list. A schema may have a hundred fields.
    static let mostNames = 30
}
