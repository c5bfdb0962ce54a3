internal import HTTPTypes

/// The routes as tables in Markdown, one for each kind of caller, for the documentation.
struct RouteArticle {
    let text: String

    init(_ routes: [Route]) {
        var text = ""
        func add(_ heading: String, _ isShown: (Callers) -> Bool) {
            text += "#### \(heading)\n\n| request | what it does | answers |\n|---|---|---|\n"
            for route in routes where isShown(route.callers) { text += route.row + "\n" }
            text += "\n"
        }
        add("Without credentials") { $0.anyone == .always }
        add("Without credentials, with --open-registration") { $0.anyone == .withOpenRegistration }
        add("People, with the token or the cookie of a session", \.people)
        for level in AccessLevel.allCases {
            add("Programs, with an access token of the scope \(level.scope)") { $0.programs == level }
        }
        self.text = String(text.dropLast())
    }
}

extension Route {
    fileprivate var row: String {
        var notes: [String] = []
        if needsPrecondition { notes.append("Needs `If-Match`.") }
        if keyUse == .answersRepeats { notes.append("Takes `Idempotency-Key`.") }
        let statuses = answers.map { String($0.status.code) }.joined(separator: ", ")
        return "| `\(method.rawValue) \(path)` | \(([summary] + notes).joined(separator: " ")) | \(statuses) |"
    }
}
