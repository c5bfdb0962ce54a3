import ProfileTesting
import ScreenPicture
import TerminalUI
import Testing
import Watchdog

@Suite(.watched) struct FramePictureTests {
    @Test func `a picture is named, and its text is text`() {
        var frame = Frame(ScreenSize(columns: 20, rows: 4))
        frame.write("Username", row: 0, column: 2, style: .bold)
        frame.write("漢字 x", row: 1, column: 0)
        frame.write("a<b & \"c\"", row: 2, column: 0, style: .error)
        frame.write("  ok  ", row: 3, column: 1, style: [.reverse, .accent])
        frame.caret = ScreenPosition(row: 1, column: 6)
        let svg = frame.svg(title: "Profiles & <form>\u{1B}")
        #expect(svg.contains("<title id=\"name\">Profiles &amp; &lt;form&gt;\u{FFFD}</title>"))
        #expect(svg.contains("role=\"img\" aria-labelledby=\"name\""))
        #expect(
            svg.contains("<tspan class=\"bold\" x=\"34\" textLength=\"72\" lengthAdjust=\"spacingAndGlyphs\">Username<")
        )
        #expect(svg.contains("x=\"16\" textLength=\"18\" lengthAdjust=\"spacingAndGlyphs\">漢<"))
        #expect(svg.contains("x=\"34\" textLength=\"18\" lengthAdjust=\"spacingAndGlyphs\">字<"))
        #expect(svg.contains("x=\"61\" textLength=\"9\" lengthAdjust=\"spacingAndGlyphs\">x<"))
        #expect(svg.contains(">a&lt;b &amp; &quot;c&quot;</tspan>"))
        #expect(svg.contains("<rect class=\"ground accent\" x=\"25\" y=\"96\" width=\"54\" height=\"20\"/>"))
        #expect(svg.contains("<rect class=\"ground\" x=\"70\" y=\"57\" width=\"2\" height=\"18\"/>"))
    }

    @Test func `every picture is well-formed`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("FramePicture fuzz seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(50) {
            var frame = Frame(
                ScreenSize(columns: Int.random(in: 0...20, using: &random), rows: Int.random(in: 0...5, using: &random))
            )
            let characters = Frame.characters + ["<", ">", "&", "\"", "'", "]]>", "\u{FFFE}", "\u{0}"]
            for _ in 0..<10 { frame.writeRandomly(&random, characters: characters) }
            let svg = frame.svg(title: characters.shuffled(using: &random).joined())
            #expect(isWellFormed(svg), "seed \(seed): \(svg)")
        }
    }

    /// Whether tags nest, attributes are quoted, and text holds no character that has to be escaped.
    private func isWellFormed(_ document: String) -> Bool {
        var open: [Substring] = []
        var rest = document[...]
        while let start = rest.firstIndex(of: "<") {
            guard isText(rest[..<start]), let end = rest[start...].firstIndex(of: ">") else { return false }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return false }
                continue
            }
            let name = tag.prefix { $0 != " " && $0 != "/" }
            let quoted = tag.split(separator: "\"", omittingEmptySubsequences: false)
            guard quoted.count % 2 == 1, quoted.allSatisfy(isText) else { return false }
            if !tag.hasSuffix("/") { open.append(name) }
        }
        return open.isEmpty && isText(rest)
    }

    private func isText(_ text: Substring) -> Bool {
        let entities = ["amp;", "lt;", "gt;", "quot;"]
        return text.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { part in entities.contains { part.hasPrefix($0) } }
            && text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0 == "\t" || $0.value >= 0x20 && $0.value & 0xFFFE != 0xFFFE
            }
    }
}
