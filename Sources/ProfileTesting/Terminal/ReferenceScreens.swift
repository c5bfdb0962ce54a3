internal import Platform

/// Screens kept as text files, `Screens/NAME.txt` beside a test's own file, which screens of today are compared with.
///
/// With `PROFILES_RECORD_SCREENS=1` in the environment the files are written instead. A file has the screen's text, and
/// below a line of dashes the caret's place and, on request, every run of cells that is styled.
public struct ReferenceScreens: Sendable {
    /// The folder that they are in.
    public let folder: String
    /// Whether references are written instead of compared with.
    public let isRecording: Bool

    /// References in the folder `Screens` beside a source file: the one that calls this.
    public init(beside file: String = #filePath) {
        let parent = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        let variable = getenv("PROFILES_RECORD_SCREENS").map { String(cString: $0) }
        self.init(folder: parent + "/Screens", isRecording: variable == "1")
    }

    /// References in a folder, which is made when the first is recorded.
    public init(folder: String, isRecording: Bool) {
        self.folder = folder
        self.isRecording = isRecording
    }

    /// Compares a screen with its reference, or records it.
    ///
    /// - Parameters:
    ///   - screen: what is to be as it was.
    ///   - name: the reference's file without `.txt`.
    ///   - includesStyles: whether how the text looks counts, too.
    /// - Throws: ``ReferenceScreenError``, which shows both.
    public func verify(
        _ screen: TerminalScreen, is name: String, includesStyles: Bool = false
    ) throws(ReferenceScreenError) {
        let path = "\(folder)/\(name).txt"
        let text = screen.reference(includesStyles: includesStyles)
        guard isRecording else {
            guard let reference = SmallFile.text(of: path) else {
                throw ReferenceScreenError(path: path, reason: .missing, screen: text)
            }
            guard reference == text else {
                throw ReferenceScreenError(path: path, reason: .differs(from: reference), screen: text)
            }
            return
        }
        mkdir(folder, 0o755)
        do throws(SystemError) {
            try SmallFile.write(text, to: path, mode: 0o644)
        } catch {
            throw ReferenceScreenError(path: path, reason: .cannotRecord(error), screen: text)
        }
    }
}

/// A screen that is not as its reference says.
public struct ReferenceScreenError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// There is no file of the name: record it.
        case missing
        /// The file has this other text.
        case differs(from: String)
        /// The system refused to write the file.
        case cannotRecord(SystemError)
    }

    /// The reference's file.
    public let path: String
    /// What is wrong with it.
    public let reason: Reason
    /// The screen of today, as a reference.
    public let screen: String

    /// What to do, and both screens.
    public var description: String {
        let advice = "PROFILES_RECORD_SCREENS=1 records it anew; look at the change before it is kept."
        return switch reason {
        case .missing: "There is no reference \(path). \(advice) The screen:\n\(screen)"
        case .cannotRecord(let error): "\(path) cannot be recorded: \(error)"
        case .differs(let reference):
            """
            The screen is not as \(path) has it. \(advice) Rows that differ:
            \(Self.difference(from: reference, to: screen))
            The reference:
            \(reference)
            The screen:
            \(screen)
            """
        }
    }

    private static func difference(from reference: String, to screen: String) -> String {
        let was = reference.split(separator: "\n", omittingEmptySubsequences: false)
        let `is` = screen.split(separator: "\n", omittingEmptySubsequences: false)
        return (0..<max(was.count, `is`.count)).map { row in
            let old = row < was.count ? was[row] : ""
            let new = row < `is`.count ? `is`[row] : ""
            return old == new ? "" : "row \(row + 1)\n  - \(old)\n  + \(new)\n"
        }.joined()
    }
}

extension TerminalScreen {
    /// What a reference file has of a screen.
    func reference(includesStyles: Bool) -> String {
        var lines = [text, String(repeating: "─", count: size.columns)]
        lines.append(caret.map { "caret \($0.row + 1):\($0.column + 1)" } ?? "no caret")
        if includesStyles { lines += styledRuns }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A line for each run of cells of a row that looks other than plain: "3:1–12 bold".
    private var styledRuns: [String] {
        var lines: [String] = []
        for (row, cells) in cells.enumerated() {
            var start = 0
            while start < cells.count {
                let style = cells[start].style
                let end = cells[start...].firstIndex { $0.style != style } ?? cells.count
                if style != TerminalStyle() { lines.append("\(row + 1):\(start + 1)–\(end) \(style)") }
                start = end
            }
        }
        return lines
    }
}
