internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// The output of `register` and `edit`.
extension GlobalOptions {
    /// Shows a profile that was stored or changed. In the text format, `--quiet` suppresses it.
    func show(_ profile: Profile) throws(CommandFailure) {
        switch format {
        case .text: if !quiet { try Output.standard.write(profile.text) }
        case .json: try Output.standard.print(profile.json.text(indented: true))
        }
    }

    /// Returns the error to throw if registering or editing failed with `error`.
    ///
    /// If the profile is invalid, the failure lists every issue. With JSON the issues go to standard output instead,
    /// and the failure has no text. Any other error is returned unchanged.
    func refusal(
        _ error: any Error, _ schema: ProfileSchema, _ outcome: String, _ advice: String? = nil
    ) throws(CommandFailure) -> any Error {
        guard let issues = Self.issues(error) else { return error }
        let told = issues.map { ReportedIssue($0, in: schema) }
        if format == .json {
            try Output.standard.print((["issues": .array(told.map(\.json))] as JSONValue).text(indented: true))
            return CommandFailure(.no, lines: [])
        }
        let names = schema.fields.map(\.name.text)
        let unknown = issues.map { if case .unknownField(let name) = $0.problem { name } else { nil as String? } }
        let problems = zip(told, unknown).map { issue, unknown in
            issue.message + (unknown?.suggestion(in: names) ?? "")
        }
        let fields = unknown.allSatisfy { $0 == nil } ? [] : ["The fields are: \(CommandFailure.list(names))"]
        let lines = ["The profile is not valid. " + outcome] + problems + fields + [advice].compactMap { $0 }
        return CommandFailure(.no, lines: lines)
    }

    private static func issues(_ error: any Error) -> [ValidationIssue]? {
        switch error {
        case let failure as ValidationFailure: failure.issues
        // If the code is `invalidQuery`, the issues belong to the query, and not to a profile.
        case let error as ProfileStoreError: error.code == .invalidQuery ? nil : error.issues
        default: nil
        }
    }
}
