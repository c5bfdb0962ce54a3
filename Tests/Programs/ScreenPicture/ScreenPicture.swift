import Platform
import ProfileTesting
import TerminalUI

/// Makes the pictures in the documents. It runs the real command in a terminal, types as a person would, and prints the
/// screen as SVG.
///
///     ScreenPicture PATH-OF-PROFILES form|browse > picture.svg
@main enum ScreenPicture {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let picture = Picture(rawValue: arguments[2]) else {
            print("Usage: ScreenPicture PATH-OF-PROFILES form|browse > picture.svg")
            exit(64)
        }
        let folder = try TemporaryFolder("profiles-picture")
        let command = Command(path: arguments[1], folder: folder.path)
        let driver =
            switch picture {
            case .form: try form(command)
            case .browse: try browse(command)
            }
        try driver.waitUntilStill()
        print(frame(of: driver.screen).svg(title: "profiles \(picture.rawValue)"), terminator: "")
        try driver.press(.control("c"))
        _ = try driver.end()
    }

    private enum Picture: String { case form, browse }

    private struct Command {
        let path: String
        let folder: String

        var environment: [String: String] {
            ["HOME": folder, "PROFILES_DATABASE": "\(folder)/people.db", "PATH": "/usr/bin:/bin"]
        }

        func start(_ arguments: String..., size: TerminalSize = .standard) throws -> TerminalDriver {
            try TerminalDriver(
                [path] + arguments, environment: environment, folder: folder, size: size)
        }
    }

    private static func form(_ command: Command) throws -> TerminalDriver {
        let driver = try command.start("register")
        try driver.wait(for: "Welcome to this awesome app!")
        try driver.press(.enter)
        for text in ["skboard", "aK8oio", "787612", "12 Main Street"] {
            try driver.type(text)
            try driver.press(.enter)
        }
        try driver.type("89761")
        return driver
    }

    /// Browses a store with 2,000 profiles. Some are invalid by rules that were adopted later.
    private static func browse(_ command: Command) throws -> TerminalDriver {
        let names = ["marina", "oleg", "ines", "tom", "bea", "elmar", "ursula", "jonas", "wanda", "yusuf"]
        let streets = ["Elm Street", "Lighthouse Lane", "Elmwood Road", "Harbour Square", "Old Mill Road"]
        let rows = (0..<2_000).map { index in
            let address = "\(index * 37 % 180 + 1) \(streets[index % 5])"
            let birthday = "19\(40 + index % 60)-0\(index % 9 + 1)-1\(index % 10)"
            return "\(names[index % 10])\(index),\(20_000_000 + index * 31_847),\(address),\(10_000 + index * 43),"
                + "\(birthday),\"\(hash)\"\n"
        }
        try SmallFile.write(
            "username,phone,address,postal_code,birthday,password_hash\n" + rows.joined(),
            to: command.folder + "/people.csv")
        let script = """
            "$0" import people.csv && "$0" schema show --format json | sed 's/"maxLength": 70/"maxLength": 18/' > rules.json
            "$0" schema adopt rules.json --yes && "$0" revalidate
            """
        let shell = try TerminalDriver(
            ["/bin/sh", "-c", script, command.path], environment: command.environment, folder: command.folder)
        _ = try shell.end()
        let driver = try command.start("browse", size: TerminalSize(columns: 110, rows: 24))
        try driver.wait(for: "1 of 2,000")
        try driver.type("/elm")
        try driver.press(.enter)
        try driver.wait(for: "of 800")
        try driver.press(.down, times: 7)
        return driver
    }

    /// A hash of any password.
    private static let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

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
    /// Makes the style that the form requested from the terminal.
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
