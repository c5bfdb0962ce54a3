internal import ProfileCore
internal import ProfileStore

// What `register` and `edit` answer.
extension GlobalOptions {
    /// Shows a profile.
    func show(_ profile: Profile) throws(CommandFailure) {
        switch format {
        case .text: try Output.standard.write(profile.text)
        case .json: try Output.standard.print(profile.json.text(indented: true))
        }
    }

    /// What an error of registering or editing comes to: an invalid profile is told issue by issue, in JSON on
    /// standard output; any other error is what it always is.
    func refusal(
        _ error: any Error, _ schema: ProfileSchema, _ outcome: String, _ advice: String? = nil
    ) throws(CommandFailure) -> any Error {
        guard let issues = Self.issues(error) else { return error }
        let told = issues.map { ReportedIssue($0, in: schema) }
        if format == .json {
            try Output.standard.print((["issues": .array(told.map(\.json))] as JSONValue).text(indented: true))
            return CommandFailure(.no, lines: [])
        }
        let lines = ["The profile is not valid. " + outcome] + told.map(\.message) + [advice].compactMap { $0 }
        return CommandFailure(.no, lines: lines)
    }

    private static func issues(_ error: any Error) -> [ValidationIssue]? {
        switch error {
        case let failure as ValidationFailure: failure.issues
        // A query is no profile.
        case let error as ProfileStoreError: error.code == .invalidQuery ? nil : error.issues
        default: nil
        }
    }
}
