internal import Platform
internal import ProfileCore

/// Reads secrets from standard input or from a file into memory that is zeroed after use.
enum SecretInput {
    /// The maximum length of a secret in bytes. The rules for secrets only allow much shorter secrets.
    static let longestSecret = 65_536

    /// Reads one secret: the whole input. If the input ends with line ends, the last line end is removed.
    static func readOne(_ path: String) throws(CommandFailure) -> Secret {
        // The message does not repeat the path, because the user may have typed the secret instead of a path.
        let file = try InputFile(path, called: "The file with the secret")
        return try Secret(capacity: longestSecret + 1) { output throws(CommandFailure) in
            let code = output.withUnsafeMutableBufferPointer { buffer, used in
                let (count, code) = FileDescriptor.readAll(
                    into: UnsafeMutableRawBufferPointer(buffer), from: file.descriptor)
                used = count
                return code
            }
            guard code == 0 else { throw .cannotRead(path, code) }
            guard output.freeCapacity > 0 else { throw tooLong(path) }
            guard output.span.last == UInt8(ascii: "\n") else { return }
            _ = output.removeLast()
            if output.span.last == UInt8(ascii: "\r") { _ = output.removeLast() }
        }
    }

    /// Reads secrets, one per line.
    ///
    /// - Throws: A failure if the number of lines is not `count`, or if there is no secret at all. An attempt with an
    ///   empty secret would count as a wrong guess (P6).
    static func readLines(_ count: Int, from path: String) throws(CommandFailure) -> [Secret] {
        let all = try readOne(path)
        let expected = count == 1 ? "1 line with the secret" : "\(count) lines, one secret each"
        guard !all.isEmpty else {
            throw CommandFailure(.badInput, "Standard input holds no secret; give \(expected)")
        }
        let bytes = all.bytes
        var secrets: [Secret] = []
        var start = 0
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "\n") {
            let hasReturn = index < bytes.count && index > start && bytes[index - 1] == UInt8(ascii: "\r")
            secrets.append(Secret(bytes.extracting(start..<(hasReturn ? index - 1 : index))))
            start = index + 1
        }
        guard secrets.count == count else {
            throw CommandFailure(.badInput, "Standard input should hold \(expected), and holds \(secrets.count)")
        }
        return secrets
    }

    static func tooLong(_ place: String) -> CommandFailure {
        CommandFailure(.badInput, "\(place) holds more than \(longestSecret) bytes, the maximum for a secret")
    }
}

extension Span<UInt8> {
    fileprivate var last: UInt8? { isEmpty ? nil : self[count - 1] }
}
