internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

// Files for which no schema can be proposed.
extension CommandFailure {
    init(_ error: InferenceError) {
        switch error {
        case .input(let error): self.init(error, attempting: .judging)
        case .headerFurtherDown(let line):
            self.init(.badInput, "The first row is not the header of those that follow", Self.advice(headerIn: line))
        case .tooManyColumns(let count, let most):
            self.init(
                .usage, "The file has \(count) columns, and a schema has \(most) fields at most",
                "Choose with --columns \"NAME,NAME,…\"")
        case .unknownColumn(let name):
            self.init(.usage, "--columns names \(name.quoted(longest: 64)), which is no column of the file")
        case .spilling(let code):
            self.init(.inputOutput, "What does not fit into memory cannot be kept: \(Self.systemText(code))")
        case .refusedSchema(let reason):
            self.init(.badConfiguration, "The schema that was found is refused: \(reason)", "Please report this")
        case .cancelled: self.init(.interrupted, "Interrupted")
        }
    }

    /// A file whose rows nothing tells apart.
    static func noKey(_ proposal: SchemaProposal) -> CommandFailure {
        guard proposal.columns.contains(where: { $0.rules != nil }) else {
            return CommandFailure(.badInput, "There is no column that can be a field")
        }
        return CommandFailure(
            .no, "No column can be the username: in each of them a value is missing or there twice",
            "Take the number of the row with --key-by-row")
    }
}
