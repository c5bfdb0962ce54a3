package import ProfileCore
package import ProfileForm
internal import TextLayout

/// A screen with two profiles that may be duplicates of each other. For each field that differs, the user chooses the
/// value of the merged profile. Then the user merges the profiles, or skips them.
package struct MergeScreen: Screen {
    /// Merge the profiles with these values.
    package struct Request: Hashable, Sendable {
        /// The fields in which the text of the second profile was chosen.
        package let fieldsOfSecond: Set<FieldName>
    }

    /// The answer to a request.
    package enum Reply: Sendable {
        /// The profiles were not merged, for this reason.
        case refused(String)
        /// The profiles were not merged, for this reason, and they have changed. The user chooses again.
        case changedMeanwhile(Pair, String)
    }

    /// Two profiles.
    package struct Pair: Sendable {
        package let names: (first: String, second: String)
        /// The fields of both profiles: the text of the first one is "yours", and that of the second one "theirs".
        package let fields: [FieldConflict]

        package init(names: (first: String, second: String), fields: [FieldConflict]) {
            self.names = names
            self.fields = fields
        }
    }

    package var notices: [NoticeScreen] = []
    package private(set) var isBusy = false
    private var choice: ConflictScreen

    package init(_ pair: Pair) { choice = ConflictScreen(pair.fields, .merge(pair.names)) }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        if key == .control("n") { return .skip }
        switch choice.take(key) {
        case nil: return nil
        case .closed: return .leave
        case .chosen:
            isBusy = true
            return .ask(Request(fieldsOfSecond: choice.fieldsOfTheirs))
        }
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? { nil }

    package mutating func receive(_ reply: Reply) {
        isBusy = false
        switch reply {
        case .refused(let text): notices.append(.error(text))
        case .changedMeanwhile(let pair, let text):
            choice = ConflictScreen(pair.fields, .merge(pair.names))
            notices.append(.error(text))
        }
    }

    package func draw(into frame: inout Frame) {
        choice.draw(into: &frame)
        if isBusy { frame.drawWork("Merging …") }
    }

    package var details: [JSONMember] { [JSONMember("screen", "merge"), JSONMember("question", choice.json)] }
}

extension ConflictScreen.Wording {
    /// Returns the texts of a screen that merges the profiles with these names.
    fileprivate static func merge(_ names: (first: String, second: String)) -> ConflictScreen.Wording {
        let (first, second) = (names.first.visible(upTo: mostName), names.second.visible(upTo: mostName))
        return ConflictScreen.Wording(
            title: "Merge two profiles",
            text: "The kept profile gets these values. The other one is removed, and its sessions end.",
            allYours: .init("1", "all of \(first)", rank: 1),
            allTheirs: .init("2", "all of \(second)", rank: 2), confirming: "merge",
            leaving: [.init("Ctrl-N", "skip", rank: 1), .init("Esc", "stop", rank: 2)])
    }

    private static var mostName: Int { 16 }
}
