internal import Logging
internal import ProfileStore

/// Writes each record of the log as one line of JSON to standard error.
///
/// The line begins with the time in UTC, the level and the message. The metadata follow as further members. Control
/// characters are escaped, so no value can add a line.
struct JSONLogHandler: LogHandler {
    /// The label of the program's own logger. Records of other loggers name their label.
    static let label = "profiles-server"

    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    private let label: String

    /// Makes the handler of a logger.
    ///
    /// The records of libraries below the level `warning` may contain what clients sent. So a library's logger has at
    /// least this level.
    init(_ label: String, level: Logger.Level) {
        self.label = label
        logLevel = label == Self.label ? level : max(level, .warning)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { StandardStream.error.write(line(of: event, at: .now())) }

    /// Returns the line of a record, with its line end.
    func line(of event: LogEvent, at time: Timestamp) -> [UInt8] {
        var line = JSONLine()
        line.add("time", time.description)
        line.add("level", event.level.rawValue)
        line.add("message", event.message.description)
        if label != Self.label { line.add("logger", label) }
        // The description of an error may contain what a client sent.
        if let error = event.error { line.add("error", String(describing: type(of: error))) }
        var members = event.metadata ?? [:]
        if let provided = metadataProvider?.get() { members.merge(provided) { own, _ in own } }
        members.merge(metadata) { own, _ in own }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { line.add(name, value) }
        return line.ended()
    }
}

/// A JSON object that is written to one line.
private struct JSONLine {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    /// Ends the object, and returns the whole line.
    mutating func ended() -> [UInt8] {
        bytes += [UInt8(ascii: "}"), UInt8(ascii: "\n")]
        return bytes
    }

    mutating func add(_ name: String, _ value: String) {
        addName(name)
        add(value)
    }

    mutating func add(_ name: String, _ value: Logger.MetadataValue) {
        addName(name)
        add(value)
    }

    private mutating func addName(_ name: String) {
        bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
        add(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func add(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): add(text)
        case .stringConvertible(let value):
            if value.isNumberOrBoolean {
                bytes += value.description.utf8
            } else {
                add(value.description)
            }
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                add(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .dictionary(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                add(member.key)
                bytes.append(UInt8(ascii: ":"))
                add(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Adds a string. Escapes all control characters, including DEL and U+0080 to U+009F, because a terminal would
    /// execute them. Also escapes the line separators of Unicode.
    private mutating func add(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if addPlain(text) {
            bytes.append(UInt8(ascii: "\""))
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: bytes += [UInt8(ascii: "\\"), UInt8(scalar.value)]
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                bytes += "\\u".utf8
                bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                bytes += digits.utf8
            default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a text if no character of it needs an escape, and returns whether it was added. Most names and values are
    /// such texts, and their bytes are copied in one step.
    private mutating func addPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            for byte in utf8 where !(0x20...0x7E ~= byte) || byte == 0x22 || byte == 0x5C { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
    }
}

extension CustomStringConvertible {
    /// Whether the description is a JSON literal without quotes.
    fileprivate var isNumberOrBoolean: Bool {
        // A check for a protocol is slow, so the usual types come first.
        Self.self == Int.self || Self.self == Int64.self || Self.self == Bool.self || self is any FixedWidthInteger
    }
}
