import CVTerm

/// A terminal emulator that bytes are written to.
final class EmulatedScreen {
    /// What one column shows.
    struct Cell: Equatable {
        var text: String
        var width: Int
        var isBold: Bool
        var isUnderlined: Bool
        var isReverse: Bool
        /// The index of an ANSI colour; nil for the default one.
        var color: Int?
    }

    private let emulator: OpaquePointer
    private let screen: OpaquePointer
    private(set) var isCursorVisible = true
    private(set) var isAlternate = false

    init(columns: Int, rows: Int) {
        emulator = vterm_new(Int32(rows), Int32(columns))
        vterm_set_utf8(emulator, 1)
        screen = vterm_obtain_screen(emulator)
        var callbacks = VTermScreenCallbacks()
        callbacks.settermprop = { property, value, context in
            guard let value, let context else { return 0 }
            let screen = Unmanaged<EmulatedScreen>.fromOpaque(context).takeUnretainedValue()
            if property == VTERM_PROP_CURSORVISIBLE { screen.isCursorVisible = value.pointee.boolean != 0 }
            if property == VTERM_PROP_ALTSCREEN { screen.isAlternate = value.pointee.boolean != 0 }
            return 1
        }
        self.callbacks.initialize(to: callbacks)
        vterm_screen_set_callbacks(screen, self.callbacks, Unmanaged.passUnretained(self).toOpaque())
        vterm_screen_enable_altscreen(screen, 1)
        vterm_screen_reset(screen, 1)
    }

    /// The emulator keeps the pointer.
    private let callbacks = UnsafeMutablePointer<VTermScreenCallbacks>.allocate(capacity: 1)

    deinit {
        vterm_free(emulator)
        callbacks.deallocate()
    }

    func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = vterm_input_write(emulator, $0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    var cursor: (row: Int, column: Int) {
        var position = VTermPos()
        vterm_state_get_cursorpos(vterm_obtain_state(emulator), &position)
        return (Int(position.row), Int(position.col))
    }

    var size: (columns: Int, rows: Int) {
        var rows: Int32 = 0
        var columns: Int32 = 0
        vterm_get_size(emulator, &rows, &columns)
        return (Int(columns), Int(rows))
    }

    func cell(row: Int, column: Int) -> Cell {
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &cell)
        // This is the second column of a wide character. The emulator keeps an earlier style there, so it is ignored.
        if cell.chars.0 == UInt32.max {
            return Cell(text: "", width: 0, isBold: false, isUnderlined: false, isReverse: false, color: nil)
        }
        var text = ""
        withUnsafeBytes(of: cell.chars) { bytes in
            for value in bytes.bindMemory(to: UInt32.self).prefix(while: { $0 != 0 }) {
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
        }
        let hasColor = cell.fg.type & UInt8(VTERM_COLOR_DEFAULT_FG.rawValue) == 0
        return Cell(
            text: text.isEmpty ? " " : text, width: Int(cell.width), isBold: cell.attrs.bold != 0,
            isUnderlined: cell.attrs.underline != 0, isReverse: cell.attrs.reverse != 0,
            color: hasColor ? Int(cell.fg.indexed.idx) : nil)
    }

    /// Every cell, row after row.
    var cells: [Cell] {
        let (columns, rows) = size
        return (0..<rows).flatMap { row in (0..<columns).map { cell(row: row, column: $0) } }
    }
}
