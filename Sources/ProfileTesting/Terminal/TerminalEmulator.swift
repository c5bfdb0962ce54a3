internal import CVTerm

/// A terminal without a window. It processes a program's output and returns the resulting screen.
///
/// libvterm does the work. libvterm also translates keys and pastes to bytes, because the bytes depend on the terminal
/// modes that the program has set. The emulator collects all input for the program: the bytes of keys and pastes, and
/// the terminal's answers to the program's queries.
final class TerminalEmulator {
    private let terminal: OpaquePointer
    private let screen: OpaquePointer
    /// Allocated on the heap, because libvterm keeps the address.
    private let callbacks: UnsafeMutablePointer<VTermScreenCallbacks>
    private var isCaretVisible = true
    private var isAlternate = false
    /// Whether the program has asked for reports of the mouse.
    private(set) var reportsMouse = false
    private var scrolledLines = 0
    private var input: [UInt8] = []

    /// - Returns: Nil if there is not enough memory.
    init?(_ size: TerminalSize) {
        guard let terminal = vterm_new(Int32(size.rows), Int32(size.columns)) else { return nil }
        guard let screen = vterm_obtain_screen(terminal) else {
            vterm_free(terminal)
            return nil
        }
        self.terminal = terminal
        self.screen = screen
        callbacks = .allocate(capacity: 1)
        callbacks.initialize(to: Self.makeCallbacks())
        vterm_set_utf8(terminal, 1)
        vterm_screen_enable_altscreen(screen, 1)
        // libvterm stores the address of the emulator, but does not retain the emulator. This is safe, because `deinit`
        // frees the objects of libvterm.
        let own = Unmanaged.passUnretained(self).toOpaque()
        vterm_screen_set_callbacks(screen, callbacks, own)
        vterm_output_set_callback(
            terminal,
            { bytes, count, user in
                guard let user, let bytes else { return }
                let emulator = Unmanaged<TerminalEmulator>.fromOpaque(user).takeUnretainedValue()
                emulator.input += UnsafeRawBufferPointer(start: bytes, count: count)
            }, own)
        vterm_screen_reset(screen, 1)
    }

    deinit {
        vterm_free(terminal)
        callbacks.deallocate()
    }

    /// Processes output of the program.
    func write(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { buffer in
            _ = vterm_input_write(terminal, buffer.assumingMemoryBound(to: CChar.self).baseAddress, buffer.count)
        }
    }

    /// Returns and removes the collected input for the program: the bytes of keys, and the terminal's own answers.
    func takeInput() -> [UInt8] {
        defer { input = [] }
        return input
    }

    func press(_ key: TerminalKey) {
        if let code = key.code {
            vterm_keyboard_key(terminal, code.key, code.modifier)
        } else if let character = key.controlCharacter {
            input.append(character)
        }
    }

    /// Pastes a text. If the program has turned on bracketed paste, the text is marked as pasted.
    func paste(_ text: String) {
        vterm_keyboard_start_paste(terminal)
        // When a terminal pastes a text, it sends the Return key (CR) for each line end.
        input += text.replacing("\r\n", with: "\r").replacing("\n", with: "\r").utf8
        vterm_keyboard_end_paste(terminal)
    }

    func resize(_ size: TerminalSize) {
        vterm_set_size(terminal, Int32(size.rows), Int32(size.columns))
    }

    /// The current screen.
    var contents: TerminalScreen {
        var rows: Int32 = 0
        var columns: Int32 = 0
        vterm_get_size(terminal, &rows, &columns)
        var place = VTermPos()
        vterm_state_get_cursorpos(vterm_obtain_state(terminal), &place)
        return TerminalScreen(
            size: TerminalSize(columns: Int(columns), rows: Int(rows)),
            cells: (0..<rows).map { row in
                var cells: [TerminalScreen.Cell] = []
                for column in 0..<columns {
                    let cell = cell(VTermPos(row: row, col: column))
                    // libvterm returns an old style for the second cell of a wide character. Therefore this code uses
                    // the style of the first cell.
                    let isSecondHalf = cell.text.isEmpty && !cells.isEmpty
                    cells.append(isSecondHalf ? .init(text: "", style: cells[cells.count - 1].style) : cell)
                }
                return cells
            },
            caret: isCaretVisible ? TerminalScreen.Position(row: Int(place.row), column: Int(place.col)) : nil,
            isAlternate: isAlternate, scrolledLines: scrolledLines)
    }

    private func cell(_ position: VTermPos) -> TerminalScreen.Cell {
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, position, &cell)
        var text = ""
        withUnsafeBytes(of: cell.chars) { bytes in
            for value in bytes.bindMemory(to: UInt32.self).prefix(while: { $0 != 0 }) {
                // In the second cell of a wide character, the value is 0xFFFFFFFF. This is not a Unicode scalar.
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
        }
        if text.isEmpty, cell.chars.0 == 0 { text = " " }
        return TerminalScreen.Cell(text: text, style: TerminalStyle(cell))
    }

    private static func makeCallbacks() -> VTermScreenCallbacks {
        var callbacks = VTermScreenCallbacks()
        callbacks.settermprop = { property, value, user in
            guard let user, let value else { return 0 }
            let emulator = Unmanaged<TerminalEmulator>.fromOpaque(user).takeUnretainedValue()
            switch property {
            case VTERM_PROP_CURSORVISIBLE: emulator.isCaretVisible = value.pointee.boolean != 0
            case VTERM_PROP_ALTSCREEN: emulator.isAlternate = value.pointee.boolean != 0
            case VTERM_PROP_MOUSE: emulator.reportsMouse = value.pointee.number != VTERM_PROP_MOUSE_NONE
            default: break
            }
            return 1
        }
        callbacks.sb_pushline = { _, _, user in
            guard let user else { return 0 }
            Unmanaged<TerminalEmulator>.fromOpaque(user).takeUnretainedValue().scrolledLines += 1
            return 1
        }
        return callbacks
    }
}

extension TerminalStyle {
    fileprivate init(_ cell: VTermScreenCell) {
        var attributes: Attributes = []
        if cell.attrs.bold != 0 { attributes.insert(.bold) }
        if cell.attrs.underline != 0 { attributes.insert(.underline) }
        if cell.attrs.italic != 0 { attributes.insert(.italic) }
        if cell.attrs.blink != 0 { attributes.insert(.blink) }
        if cell.attrs.reverse != 0 { attributes.insert(.reverse) }
        if cell.attrs.strike != 0 { attributes.insert(.strike) }
        self.init(attributes, foreground: Color(cell.fg), background: Color(cell.bg))
    }
}

extension TerminalStyle.Color {
    /// - Returns: Nil if the colour is the terminal's default colour.
    fileprivate init?(_ color: VTermColor) {
        // These tests do the same as the C macros VTERM_COLOR_IS_DEFAULT_FG, VTERM_COLOR_IS_DEFAULT_BG and
        // VTERM_COLOR_IS_INDEXED.
        if color.type & UInt8(VTERM_COLOR_DEFAULT_MASK.rawValue) != 0 { return nil }
        if color.type & UInt8(VTERM_COLOR_TYPE_MASK.rawValue) == UInt8(VTERM_COLOR_INDEXED.rawValue) {
            self = .palette(color.indexed.idx)
        } else {
            self = .rgb(red: color.rgb.red, green: color.rgb.green, blue: color.rgb.blue)
        }
    }
}
