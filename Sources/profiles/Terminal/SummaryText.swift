internal import ProfileCore
internal import ProfileTransfer
internal import TextLayout

// A summary as text for a terminal.

extension ProfileSummary {
    /// Returns the number of profiles, and a paragraph for each field. If `drawsBars` is true, a bar follows the share
    /// of each value. The length of the bar is proportional to the share.
    func text(drawingBars drawsBars: Bool) -> String {
        let heading = "\(profiles.counted("profile"))\n"
        return ([heading] + fields.map { $0.text(of: profiles, drawingBars: drawsBars) }).joined(separator: "\n")
    }
}

extension ProfileSummary.Field {
    fileprivate func text(of profiles: Int, drawingBars drawsBars: Bool) -> String {
        let title = rules.title == rules.name.text ? "" : ", \(rules.title)"
        let lines = ["\(rules.name.text)\(title) (\(rules.type.rawValue))".visible] + facts(of: profiles)
        return lines.joined(separator: "\n  ") + "\n" + valueTable(drawingBars: drawsBars)
    }

    private func facts(of profiles: Int) -> [String] {
        guard filled > 0 else { return ["no values"] }
        let share = filled < profiles ? Share.text(filled, of: profiles).map { " (\($0))" } ?? "" : ""
        var facts = ["\(filled.grouped) filled\(share)", distinctText]
        if let minimum, let maximum {
            facts.append(
                minimum == maximum
                    ? "always \(minimum.visible(upTo: Self.widestValue))"
                    : "\(minimum.visible(upTo: Self.widestValue)) to \(maximum.visible(upTo: Self.widestValue))")
        }
        if let mean { facts.append("mean \(Self.text(of: mean))") }
        if rules.type == .string, let shortest, let longest, let meanLength {
            facts.append(
                shortest == longest
                    ? "\(longest.counted("character"))"
                    : "\(shortest.grouped) to \(longest.grouped) characters, mean \(Self.text(of: meanLength))")
        }
        return [facts.joined(separator: "; ")]
    }

    private var distinctText: String {
        if !distinct.isExact { return "more than \(distinct.count.grouped) different" }
        return distinct.count == filled && filled > 1 ? "all different" : "\(distinct.count.grouped) different"
    }

    private func valueTable(drawingBars drawsBars: Bool) -> String {
        // If each value occurs once, no value is frequent, so the table is shown only if it contains all values.
        guard let most = frequentValues.first?.count, most > 1 || frequentValues.count == distinct.count else {
            return ""
        }
        var table = TextTable([], [.left, .right, .right, .left], widestCell: Self.widestValue)
        for value in frequentValues {
            let count = value.mostMissed > 0 ? "≥ \(value.count.grouped)" : value.count.grouped
            let width = max(1, (value.count * Self.barWidth + most / 2) / most)
            table.add(
                [value.value, count, Share.text(value.count, of: filled) ?? ""]
                    + (drawsBars ? [String(repeating: "█", count: width)] : []))
        }
        return table.lines.map { "    \($0)\n" }.joined()
    }

    /// A number with at most two decimals, or at most four if its absolute value is less than 1.
    private static func text(of number: Double) -> String {
        guard abs(number) < 1e12 else { return NumberText.canonical(number) }
        let scale = abs(number) < 1 ? 10_000.0 : 100.0
        return NumberText.canonical((number * scale).rounded() / scale)
    }

    private static let widestValue = 40
    private static let barWidth = 20
}
