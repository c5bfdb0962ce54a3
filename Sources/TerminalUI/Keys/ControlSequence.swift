/// Collects the bytes of an escape sequence between its introducer and its last byte. Then determines the key.
///
/// This type supports xterm's control sequences (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>), the
/// VT220's editing keypad, and the mouse in xterm's mode 1006. It also supports the sequences of the Linux console, GNU
/// Screen, tmux and rxvt. This type also supports xterm's modifyOtherKeys and `CSI u`. Some terminals send these
/// sequences for keys that have no other code.
struct ControlSequence {
    /// The maximum number of bytes of a key's sequence; further bytes are dropped.
    private static let longest = 32

    private var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    var isNumber: Bool { !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) } }

    mutating func append(_ byte: UInt8) {
        if bytes.count <= Self.longest { bytes.append(byte) }
    }

    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    func isPasteStart(endingIn last: UInt8) -> Bool { last == UInt8(ascii: "~") && bytes == Array("200".utf8) }

    /// Returns the key of a control sequence. A control sequence starts with ESC `[`.
    func key(endingIn last: UInt8) -> Key {
        if bytes.first == UInt8(ascii: "<"), last == UInt8(ascii: "M") || last == UInt8(ascii: "m") {
            return numbers(of: bytes.dropFirst()).flatMap { MouseEvent($0, endingIn: last) }.map { .mouse($0) }
                ?? .unknown
        }
        guard let numbers = numbers(of: bytes[...]) else { return .unknown }
        let modifiers = Modifiers(parameter: numbers.count > 1 ? numbers[1] : 1)
        switch last {
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "u"): return Key(pressing: numbers.first ?? 0, with: modifiers)
        case UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: "@"):
            if numbers.first == 27, numbers.count == 3 { return Key(pressing: numbers[2], with: modifiers) }
            // rxvt reports Ctrl in the last byte.
            let isControl = last != UInt8(ascii: "~") || modifiers.contains(.control)
            return Self.editingKey(numbers.first ?? 0, isControl: isControl)
        default: return Self.cursorKey(last, isControl: modifiers.contains(.control)) ?? .unknown
        }
    }

    /// Returns the key after ESC `O`. Keypads send these sequences in application mode. Another program may have turned
    /// this mode on.
    func keypadKey(endingIn last: UInt8) -> Key {
        switch last {
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "I"): .tab
        case UInt8(ascii: "X"): .character("=")
        // The code of the sequence is the character of the key plus 0x40.
        case UInt8(ascii: "j")...UInt8(ascii: "y"): .character(Character(Unicode.Scalar(last - 0x40)))
        default: Self.cursorKey(last, isControl: false) ?? .unknown
        }
    }

    private static func cursorKey(_ last: UInt8, isControl: Bool) -> Key? {
        switch last {
        // rxvt sends the lower-case letters if Shift is pressed.
        case UInt8(ascii: "A"), UInt8(ascii: "a"): .up
        case UInt8(ascii: "B"), UInt8(ascii: "b"): .down
        case UInt8(ascii: "C"), UInt8(ascii: "c"): .right
        case UInt8(ascii: "D"), UInt8(ascii: "d"): .left
        case UInt8(ascii: "H"): isControl ? .controlHome : .home
        case UInt8(ascii: "F"): isControl ? .controlEnd : .end
        default: nil
        }
    }

    private static func editingKey(_ number: Int, isControl: Bool) -> Key {
        switch number {
        case 1, 7: isControl ? .controlHome : .home
        case 3: .delete
        case 4, 8: isControl ? .controlEnd : .end
        case 5: .pageUp
        case 6: .pageDown
        default: .unknown
        }
    }

    /// Returns the parameters without their subparameters; nil if a parameter is not a number.
    private func numbers(of parameters: ArraySlice<UInt8>) -> [Int]? {
        guard bytes.count <= Self.longest else { return nil }
        var numbers: [Int] = []
        for parameter in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            var number = 0
            for byte in parameter.prefix(while: { $0 != UInt8(ascii: ":") }) {
                guard (0x30...0x39).contains(byte) else { return nil }
                // The limit is above every Unicode scalar value and prevents an overflow.
                number = min(number * 10 + Int(byte - 0x30), 0x20_0000)
            }
            numbers.append(number)
        }
        return numbers
    }
}

/// The modifier keys held while another key is pressed.
struct Modifiers: OptionSet {
    let rawValue: Int

    static let shift = Modifiers(rawValue: 1)
    static let alternate = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
    /// Super, Hyper and Meta. The next two bits mean caps lock and num lock. Caps lock and num lock do not change a
    /// key.
    static let other = Modifiers(rawValue: 8 + 16 + 32)
}

extension Modifiers {
    /// Creates the modifiers from a parameter of a sequence. The parameter is 1 if no modifier key is held.
    init(parameter: Int) { self.init(rawValue: max(parameter, 1) - 1) }
}

extension Key {
    /// Creates the key for a Unicode scalar and the held modifier keys.
    init(pressing code: Int, with modifiers: Modifiers) {
        switch code {
        case 0x08, 0x7F: self = modifiers.contains(.alternate) ? .control("w") : .backspace
        case 0x09: self = modifiers.contains(.shift) ? .backTab : .tab
        case 0x0A, 0x0D: self = .enter
        case 0x1B: self = .escape
        case 0x20...0x7E where modifiers.contains(.control) && modifiers.isDisjoint(with: [.alternate, .other]):
            self = Self.control(code)
        default:
            guard modifiers.isDisjoint(with: [.control, .alternate, .other]), let value = UInt32(exactly: code),
                let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .control
            else {
                self = .unknown
                return
            }
            // Some terminals send the unshifted character of the key.
            let isLowerCase = (0x61...0x7A).contains(value) && modifiers.contains(.shift)
            self = .character(Character(isLowerCase ? Unicode.Scalar(UInt8(value) - 0x20) : scalar))
        }
    }

    /// Returns the key for Ctrl with an ASCII character.
    private static func control(_ code: Int) -> Key {
        switch code {
        case 0x20, 0x40: .control("@")
        case 0x5B: .escape
        case 0x41...0x5A: .control(Character(Unicode.Scalar(UInt8(code + 0x20))))
        case 0x5C...0x5F, 0x61...0x7A: .control(Character(Unicode.Scalar(UInt8(code))))
        default: .unknown
        }
    }
}
