internal import ProfileStore
internal import TerminalUI
internal import TextLayout

extension ProfileRepository {
    /// Returns the history of a profile as a text to read, newest first. Nil if the history has no change of the profile.
    func historyText(ofID id: Int64, _ name: String) async throws(ProfileStoreError) -> TextScreen? {
        let entries = try await history(ofID: id)
        guard !entries.isEmpty else { return nil }
        // The entries look as "profiles history" prints them.
        let lines = entries.flatMap { entry in
            [TextScreen.Line(entry.headline(namingProfile: false).visible, .bold)]
                + entry.changes(of: schema).map { TextScreen.Line("  " + $0.heading, $0.values) }
        }
        return TextScreen(title: "History of \(name.visible)", lines: lines)
    }
}

extension TextScreen {
    static func noHistory(of name: String) -> String { "The history has no change of \(name.visible)" }
}
