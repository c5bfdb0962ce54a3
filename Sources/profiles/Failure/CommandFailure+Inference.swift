internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

// Errors that occur when a schema is proposed for a file.
extension CommandFailure {
    init(_ error: InferenceError) { self.init(error, attempting: .proposing) }

    init(_ error: InferenceError, attempting attempt: ImportAttempt) {
        self = CommandFailure(error, withAllHints: attempt).hinting(for: attempt)
    }

    private init(_ error: InferenceError, withAllHints attempt: ImportAttempt) {
        switch error {
        case .input(let error): self.init(error, attempting: attempt)
        case .headerFurtherDown(let line):
            self.init(
                .badInput, "The first row is not the header of the rows below it",
                Self.advice(headerIn: line, attempt))
        case .tooManyColumns(let count, let most):
            self.init(
                .usage, "The file has \(count) columns, and a schema has at most \(most) fields",
                "Choose with --columns \"NAME,NAME,…\"")
        case .unknownColumn(let name):
            self.init(.usage, "An option names \(name.quoted(longest: 64)), which is not a column of the file")
        case .unusableName(let name, column: let header, let problem):
            self.init(
                .usage,
                "The field of \(header.quoted(longest: 64)) cannot be called \(name.quoted(longest: 64)): "
                    + problem.text)
        case .unknownKey(let name):
            self.init(
                .usage,
                "--key names \(name.quoted(longest: 64)): "
                    + "the file has no such column, or the column is left out or holds secrets")
        case .unknownTyped(let name):
            self.init(
                .usage,
                "--type names \(name.quoted(longest: 64)): "
                    + "the file has no such column, or the column is left out or holds secrets")
        case .keyOfType(let name, let type):
            self.init(
                .usage,
                "--type makes \(name.quoted(longest: 64)) \(type.rawValue), but this column is the key, and a key is text",
                "Choose another key with --key, or leave out --type for this column")
        case .repeatedHeader(let name):
            self.init(
                .badInput, "Two members of an object are named \(name.quoted(longest: 64)), apart from white space",
                "Give each member of the objects a name of its own")
        case .spilling(let code):
            self.init(
                .inputOutput,
                "Data that does not fit into memory cannot be kept in a temporary file: \(Self.systemText(code))")
        case .refusedSchema(let reason):
            self.init(.badConfiguration, "The inferred schema is refused: \(reason)", "Please report this")
        case .cancelled: self.init(.interrupted, "Interrupted")
        }
    }

    /// Makes the failure for a file without a column that identifies its rows.
    static func noKey(_ proposal: SchemaProposal) -> CommandFailure {
        guard proposal.columns.contains(where: { $0.rules != nil }) else {
            return CommandFailure(.badInput, "There is no column that can be a field")
        }
        let reason =
            proposal.rows == 0
            ? "The file has no rows, and no column is named like a key"
            : "No column can be the key: in each one a value is missing or repeated\(closest(proposal))"
        return CommandFailure(
            .no,
            lines: [
                reason, "Choose a column, or several together, with --key (rows that repeat the key are rejected)",
                "Or take --key-by-content, a hash of the row's cells, or --key-by-row, the row number",
            ])
    }

    /// The column that is closest to a key, and the first row without a value or with a repeated value.
    private static func closest(_ proposal: SchemaProposal) -> String {
        guard let closest = proposal.closestKey else { return "" }
        let name = closest.header.quoted(longest: 64)
        guard closest.isRepeated else { return ". The closest is \(name), which has no value in line \(closest.line)" }
        let value = closest.value.map { "the value \($0.quoted(longest: 64))" } ?? "an earlier value"
        let lines = closest.earlierLine.map { "lines \($0) and \(closest.line)" } ?? "line \(closest.line)"
        return ". The closest is \(name), which has \(value) again in \(lines) (upper and lower case count as equal)"
    }
}

extension NameProblem {
    /// The reason as the end of a sentence.
    fileprivate var text: String {
        switch self {
        case .malformed: "a name is a letter a–z, then at most 62 of a–z, 0–9 and _"
        case .reserved: "the name is reserved"
        case .taken: "another column or field has this name, and an import could not tell them apart"
        case .secret: "the field of the passwords is always called password"
        }
    }
}
