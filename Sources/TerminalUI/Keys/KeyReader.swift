internal import Platform

/// Turns the bytes that a terminal sends into keys.
///
/// The reader is a pure state machine: the keys do not depend on how the bytes are split into reads. The caller handles
/// time. If no byte is available for now, the caller calls `pause()`. If `isWaitingAfterEscape` or `isWaitingForPaste`
/// is true and no byte comes for a while, the caller calls `timeOut()`. No input is lost: bytes without a meaning
/// produce an `.unknown` key, and the next key is read completely.
struct KeyReader: ~Copyable {
    /// The maximum number of bytes that are kept of a paste. The fields of a form accept much shorter texts.
    static let longestPaste = 65_536

    private enum State {
        case ground
        /// After ESC.
        case escape
        /// The reader has read ESC and the first bytes of a character: Alt and that character.
        case alternate
        /// After ESC `[`: a control sequence of ECMA-48.
        case controlSequence
        /// After ESC `[[`: a function key of the Linux console. Contrary to ECMA-48, one more byte follows.
        case consoleFunctionKey
        /// After ESC `O`: cursor and keypad keys in application mode.
        case singleShift
        /// Inside a paste: after ESC `[200~` and before ESC `[201~`.
        case paste
    }

    private var state = State.ground
    private var decoder = ScalarDecoder()
    private var cluster = Cluster()
    private var sequence = ControlSequence()
    private var paste = PasteBuffer()

    /// Whether the bytes so far may already be a complete key, such as Esc. If more bytes follow immediately, they
    /// belong to the same key.
    var isWaitingAfterEscape: Bool {
        switch state {
        case .escape, .consoleFunctionKey: true
        case .controlSequence, .singleShift: sequence.isEmpty
        case .ground, .alternate, .paste: false
        }
    }

    /// Whether the bytes so far are the beginning of a paste.
    var isWaitingForPaste: Bool { state == .paste }

    /// Reads bytes. The last character is returned later, because combining marks may follow it.
    mutating func read(_ bytes: Span<UInt8>) -> [Key] {
        var keys: [Key] = []
        for index in bytes.indices { step(bytes[index], &keys) }
        return keys
    }

    /// Returns the last character, if it was not returned yet. Call it when no byte is available for now.
    mutating func pause() -> [Key] { cluster.end().map { [.character($0)] } ?? [] }

    /// Ends an incomplete escape sequence or paste. Call it when no byte came for a while.
    mutating func timeOut() -> [Key] {
        if isWaitingForPaste { return endUnfinishedPaste() }
        guard isWaitingAfterEscape else { return [] }
        let key = state == .escape ? Key.escape : .unknown
        state = .ground
        sequence.clear()
        return pause() + [key]
    }

    private mutating func step(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: readText(byte, &keys)
        case .escape: readAfterEscape(byte, &keys)
        case .alternate: readAlternate(byte, &keys)
        case .controlSequence: readControlSequence(byte, &keys)
        case .consoleFunctionKey:
            if (0x20...0x7E).contains(byte) { emit(.unknown, &keys) } else { breakOff(before: byte, &keys) }
        case .singleShift: readSingleShift(byte, &keys)
        case .paste:
            guard paste.take(byte) else { return }
            emit(.paste(paste.end()), &keys)
        }
    }

    /// Reports a paste without an end mark, and reads the keys that were typed after the paste.
    private mutating func endUnfinishedPaste() -> [Key] {
        var keys: [Key] = []
        var typed = paste.takeTyped()
        let text = paste.end()
        emit(text.isEmpty ? .unknown : .paste(text), &keys)
        for byte in typed { step(byte, &keys) }
        typed.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
        return keys
    }

    private mutating func readText(_ byte: UInt8, _ keys: inout [Key]) {
        switch decoder.take(byte) {
        case .more: break
        case .scalar(let scalar): read(scalar, &keys)
        case .invalid(let isTaken):
            emit(.unknown, &keys)
            if !isTaken { step(byte, &keys) }
        }
    }

    private mutating func read(_ scalar: Unicode.Scalar, _ keys: inout [Key]) {
        switch scalar.value {
        case 0x1B:
            end(&keys)
            state = .escape
        case 0x08, 0x7F: emit(.backspace, &keys)
        case 0x09: emit(.tab, &keys)
        case 0x0A, 0x0D: emit(.enter, &keys)
        // Ctrl clears the two upper bits of a letter's 7-bit code.
        case 0x00...0x1F: emit(Key(pressing: Int(scalar.value) + 0x40, with: .control), &keys)
        case 0x80...0x9F: emit(.unknown, &keys)
        default: if let character = cluster.take(scalar) { keys.append(.character(character)) }
        }
    }

    private mutating func readAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): state = .controlSequence
        case UInt8(ascii: "O"): state = .singleShift
        case 0x1B: keys.append(.escape)
        case 0x7F: emit(.control("w"), &keys)
        // The combination of Alt and Ctrl has no meaning in this program. So these bytes are two keys: a fast user or a
        // program sent Esc and then a control key.
        case 0x00...0x1F:
            emit(.escape, &keys)
            step(byte, &keys)
        // Alt and a character. ESC `]`, ESC `P` and similar bytes could also be the beginning of a reply from the
        // terminal. But this program never requests a reply. If the reader waited for the end of a reply, typed keys
        // would be lost.
        case 0x20...0x7E: emit(.unknown, &keys)
        default:
            state = .alternate
            readAlternate(byte, &keys)
        }
    }

    private mutating func readAlternate(_ byte: UInt8, _ keys: inout [Key]) {
        switch decoder.take(byte) {
        case .more: break
        case .scalar, .invalid(isTaken: true): emit(.unknown, &keys)
        case .invalid(isTaken: false): breakOff(before: byte, &keys)
        }
    }

    private mutating func readControlSequence(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "[") where sequence.isEmpty: state = .consoleFunctionKey
        // If Shift is pressed, rxvt ends its sequences with `$`. In ECMA-48, `$` is an intermediate byte.
        case UInt8(ascii: "$") where sequence.isNumber: emit(sequence.key(endingIn: UInt8(ascii: "~")), &keys)
        case 0x20...0x3F: sequence.append(byte)
        case 0x40...0x7E:
            if sequence.isPasteStart(endingIn: byte) {
                end(&keys)
                state = .paste
            } else {
                emit(sequence.key(endingIn: byte), &keys)
            }
        default: breakOff(before: byte, &keys)
        }
    }

    private mutating func readSingleShift(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x30...0x3B: sequence.append(byte)
        case 0x40...0x7E: emit(sequence.keypadKey(endingIn: byte), &keys)
        default: breakOff(before: byte, &keys)
        }
    }

    /// Reports an unknown key for an interrupted sequence, and then reads the byte that interrupted it.
    private mutating func breakOff(before byte: UInt8, _ keys: inout [Key]) {
        emit(.unknown, &keys)
        step(byte, &keys)
    }

    private mutating func emit(_ key: Key, _ keys: inout [Key]) {
        end(&keys)
        keys.append(key)
    }

    /// Ends the current character or sequence.
    private mutating func end(_ keys: inout [Key]) {
        keys += pause()
        state = .ground
        sequence.clear()
    }
}

/// Collects the scalars of one user-perceived character.
private struct Cluster {
    /// The maximum length in bytes. No real character is longer; longer runs of combining marks are split.
    private static let longest = 256

    private var text = ""

    /// Adds a scalar.
    ///
    /// - Returns: The previous character, if it is complete because the scalar begins a new character; otherwise nil.
    mutating func take(_ scalar: Unicode.Scalar) -> Character? {
        guard text.utf8.count < Self.longest else {
            let character = end()
            text.unicodeScalars.append(scalar)
            return character
        }
        text.unicodeScalars.append(scalar)
        guard text.index(after: text.startIndex) < text.endIndex else { return nil }
        return text.removeFirst()
    }

    mutating func end() -> Character? {
        defer { text = "" }
        return text.first
    }
}

/// The pasted bytes. The memory of the pasted bytes is zeroed after use, because they may be a secret.
private struct PasteBuffer: ~Copyable {
    private static let endMark = Array("\u{1B}[201~".utf8)

    private var bytes: [UInt8] = []
    private var isCut = false
    /// Whether the dropped bytes contain Ctrl-C.
    private var hasCutInterrupt = false
    /// The number of bytes of the end mark that were read so far.
    private var matched = 0

    /// Adds a byte.
    ///
    /// - Returns: Whether the byte completes the end mark.
    mutating func take(_ byte: UInt8) -> Bool {
        if byte == Self.endMark[matched] {
            matched += 1
            return matched == Self.endMark.count
        }
        // The bytes before this byte are not an end mark. Only this byte can begin another end mark, because ESC occurs
        // only at the start of a mark.
        for index in 0..<matched { append(Self.endMark[index]) }
        matched = 0
        if byte == Self.endMark[0] { matched = 1 } else { append(byte) }
        return false
    }

    /// Removes and returns the keys that were typed after a paste without an end mark. The first control character is
    /// the start of these keys, because pasted text contains no control characters except tabs and line ends.
    mutating func takeTyped() -> [UInt8] {
        let isTyped: (UInt8) -> Bool = { $0 < 0x20 && !(0x09...0x0A).contains($0) && $0 != 0x0D || $0 == 0x7F }
        let count = bytes.count - (bytes.firstIndex(where: isTyped) ?? bytes.count)
        let typed = bytes.suffix(count) + Self.endMark.prefix(matched) + (hasCutInterrupt ? [0x03] : [])
        erase(count)
        return Array(typed)
    }

    /// Returns the pasted text with LF as line end, and empties the buffer.
    mutating func end() -> String {
        // If the paste was cut, its last character may be incomplete.
        if isCut, let lead = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) {
            let length = bytes[lead] < 0x80 ? 1 : bytes[lead] < 0xE0 ? 2 : bytes[lead] < 0xF0 ? 3 : 4
            if bytes.count - lead < length { erase(bytes.count - lead) }
        }
        var text = String(decoding: bytes, as: UTF8.self)
        if bytes.contains(UInt8(ascii: "\r")) {
            text = String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
        }
        erase(bytes.count)
        self = PasteBuffer()
        return text
    }

    private mutating func append(_ byte: UInt8) {
        // If the array had to grow, a copy of the bytes would stay in memory.
        if bytes.isEmpty { bytes.reserveCapacity(KeyReader.longestPaste) }
        guard bytes.count < KeyReader.longestPaste else {
            isCut = true
            hasCutInterrupt = hasCutInterrupt || byte == 0x03
            return
        }
        bytes.append(byte)
    }

    /// Zeroes and removes bytes at the end.
    private mutating func erase(_ count: Int) {
        bytes.withUnsafeMutableBytes { all in
            let end = UnsafeMutableRawBufferPointer(rebasing: all.suffix(count))
            if let start = end.baseAddress { explicit_bzero(start, end.count) }
        }
        bytes.removeLast(count)
    }
}
