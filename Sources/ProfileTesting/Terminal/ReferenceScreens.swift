internal import Platform

/// Compares screens with references. A reference is a text file `Screens/NAME.txt` beside the test's source file.
///
/// If the environment has `PROFILES_RECORD_SCREENS=1`, the references are written and not compared. A reference file
/// contains the text of the screen, a line of dashes, and the position of the caret. If styles are compared, the file
/// also lists the styled cells.
public struct ReferenceScreens: Sendable {
    /// The folder with the references.
    public let folder: String
    /// Whether references are written instead of compared.
    public let isRecording: Bool

    /// Uses the folder `Screens` beside a source file. The default is the caller's source file.
    public init(beside file: String = #filePath) {
        let parent = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        let variable = getenv("PROFILES_RECORD_SCREENS").map { String(cString: $0) }
        self.init(folder: parent + "/Screens", isRecording: variable == "1")
    }

    /// Uses the given folder. The folder is created when the first reference is recorded.
    public init(folder: String, isRecording: Bool) {
        self.folder = folder
        self.isRecording = isRecording
    }

    /// Compares a screen with its reference. If ``isRecording`` is true, writes the screen as the reference instead.
    ///
    /// - Parameters:
    ///   - screen: The screen to compare.
    ///   - name: The name of the reference file, without `.txt`.
    ///   - includesStyles: Whether the styles of the text are compared too.
    /// - Throws: ``ReferenceScreenError`` if the screen differs from its reference, has no reference, or cannot be
    ///   recorded.
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

/// The error for a screen that differs from its reference, has no reference, or cannot be recorded.
public struct ReferenceScreenError: Error, Sendable, CustomStringConvertible {
    /// The kind of the problem.
    public enum Reason: Hashable, Sendable {
        /// The reference file does not exist. Record it.
        case missing
        /// The reference file contains this text, which differs from the screen.
        case differs(from: String)
        /// The reference file could not be written, because of this error.
        case cannotRecord(SystemError)
    }

    /// The path of the reference file.
    public let path: String
    /// The reason of the error.
    public let reason: Reason
    /// The current screen in the form of a reference.
    public let screen: String

    /// The problem, its remedy, and both screens.
    public var description: String {
        let advice = "PROFILES_RECORD_SCREENS=1 records it; review the change before you keep it."
        return switch reason {
        case .missing: "There is no reference \(path). \(advice) The screen:\n\(screen)"
        case .cannotRecord(let error): "\(path) cannot be recorded: \(error)"
        case .differs(let reference):
            """
            The screen differs from \(path). \(advice) Rows that differ:
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
    /// Returns the screen in the form of a reference file.
    func reference(includesStyles: Bool) -> String {
        var lines = [text, String(repeating: "─", count: size.columns)]
        lines.append(caret.map { "caret \($0.row + 1):\($0.column + 1)" } ?? "no caret")
        if includesStyles { lines += styledRuns }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Consecutive cells with the same style make up one line. For example, "3:1–12 bold" describes the cells 1 to 12
    /// of row 3.
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
