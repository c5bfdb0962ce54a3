internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

/// Why a command ends without success: an exit code, and a text that says what happened, where, and what to do.
struct CommandFailure: Error {
    let status: ExitStatus
    /// The first says what happened and where; the others add details and what to do. None where a report or an
    /// answer on standard output has said it all.
    let lines: [String]
    /// Whether somebody has chosen this end, so that what it comes to is no error.
    private(set) var isChosen = false

    init(_ status: ExitStatus, _ lines: String...) { self.init(status, lines: lines) }

    init(_ status: ExitStatus, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// Somebody has left a form or the like; the sentence says what that comes to.
    static func left(_ status: ExitStatus, _ sentence: String) -> CommandFailure {
        var failure = CommandFailure(status, sentence)
        failure.isChosen = true
        return failure
    }

    /// The failure that an error of one of the libraries is; nil for an error of another kind.
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
        case let error as SchemaFailure: self.init(error)
        case is CancellationError: self.init(.interrupted, "Interrupted")
        default: return nil
        }
    }
}

extension CommandFailure {
    init(_ failure: SchemaFailure) { self.init(failure, of: "The schema") }

    /// `schema` is what the schema is called, or where it is.
    init(_ failure: SchemaFailure, of schema: String) {
        if failure.errors.count == 1, let error = failure.errors.first {
            self.init(.badConfiguration, "\(schema) is refused at \(error.path): \(error.reason.text)")
        } else {
            // A file of another kind may be wrong in every place.
            let shown = failure.errors.prefix(Self.mostSchemaErrors).map(\.description)
            let rest = failure.errors.count - shown.count
            self.init(
                .badConfiguration,
                lines: ["\(schema) is refused at \(failure.errors.count) places"] + shown
                    + (rest > 0 ? ["… and at \(rest) more"] : []))
        }
    }

    private static let mostSchemaErrors = 100

    /// The first few, and how many more there are.
    static func list(_ names: [String], most: Int = mostNames, separator: String = ", ") -> String {
        let more = names.count > most ? " and \(names.count - most) more" : ""
        return names.prefix(most).joined(separator: separator) + more
    }

    /// A schema has a hundred fields.
    static let mostNames = 30
}
