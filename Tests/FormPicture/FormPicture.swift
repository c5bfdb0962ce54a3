import Platform
import ProfileTesting
import TerminalUI

/// Makes the picture of the form in the README: runs the real command in a terminal, types as a person would, and
/// prints what the screen then shows as SVG.
///
///     FormPicture PATH-OF-PROFILES > form.svg
@main enum FormPicture {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("Usage: FormPicture PATH-OF-PROFILES > form.svg")
            exit(64)
        }
        let folder = try TemporaryFolder("profiles-picture")
        let driver = try TerminalDriver(
            [CommandLine.arguments[1], "register"],
            environment: ["HOME": folder.path, "PROFILES_DATABASE": "\(folder.path)/people.db"], folder: folder.path)
        try driver.wait(for: "Welcome to this awesome app!")
        try driver.press(.enter)
        for text in ["skboard", "aK8oio", "787612", "12 Main Street"] {
            try driver.type(text)
            try driver.press(.enter)
        }
        try driver.type("89761")
        try driver.waitUntilStill()
        print(frame(of: driver.screen).svg(title: "profiles register"), terminator: "")
        try driver.press(.control("c"))
        _ = try driver.end()
    }

    private static func frame(of screen: TerminalScreen) -> Frame {
        var frame = Frame(ScreenSize(columns: screen.size.columns, rows: screen.size.rows))
        for (row, cells) in screen.cells.enumerated() {
            for (column, cell) in cells.enumerated() where !cell.text.isEmpty {
                frame.write(cell.text, row: row, column: column, style: Style(cell.style))
            }
        }
        frame.caret = screen.caret.map { ScreenPosition(row: $0.row, column: $0.column) }
        return frame
    }
}

extension Style {
    /// What the form has asked the terminal for.
    fileprivate init(_ style: TerminalStyle) {
        self = []
        if style.attributes.contains(.bold) { insert(.bold) }
        if style.attributes.contains(.underline) { insert(.underline) }
        if style.attributes.contains(.reverse) { insert(.reverse) }
        switch style.foreground {
        case .palette(1): insert(.error)
        case .palette(2): insert(.success)
        case .palette(6): insert(.accent)
        default: break
        }
    }
}
