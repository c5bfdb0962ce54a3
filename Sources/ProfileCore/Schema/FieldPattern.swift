internal import CPCRE2

/// A compiled regular expression of a schema. A value is valid only if the expression matches the whole value.
///
/// The expression has the syntax of PCRE2. `\d`, `\w` and `\s` match ASCII only (S1). The work of one match is limited
/// (`pcre2_set_match_limit`). If a match exceeds the limit, the value does not match, so a pathological pattern cannot
/// hang the program (S8).
public final class FieldPattern: Hashable, CustomStringConvertible, @unchecked Sendable {
    // `@unchecked Sendable`: the pointer is safe to share. The compiled code never changes after `init`, and PCRE2
    // allows several threads to use it at the same time ("pcre2api", MULTITHREADING). Each call creates its own match
    // data.
    private let code: OpaquePointer
    /// The expression as a schema file writes it.
    public let text: String

    /// The maximum length of a pattern in bytes.
    public static let longestLength = 4_096
    /// The maximum number of calls of PCRE2's internal match function for one value. This number of calls takes about
    /// ten milliseconds.
    private static let mostSteps = 200_000
    /// The maximum product of the number of calls and the length of the value in bytes. One call may read the whole
    /// value, so this limits a match to about half a second.
    private static let mostBytesWalked = 1 << 28
    /// The maximum memory for backtracking, in KiB.
    private static let heapLimit: UInt32 = 8_192

    /// The reason why a pattern does not compile.
    public enum CompileError: Error, Hashable, Sendable {
        /// The pattern is longer than `allowed` bytes.
        case tooLong(allowed: Int)
        /// PCRE2 refuses the pattern. `code` is the error code of PCRE2 ("pcre2api", COMPILATION ERROR CODES), and
        /// `offset` is the byte offset of the error.
        case malformed(code: Int, offset: Int)
    }

    init(_ text: String) throws(CompileError) {
        guard text.utf8.count <= Self.longestLength else {
            throw .tooLong(allowed: Self.longestLength)
        }
        var errorCode: Int32 = 0
        var errorOffset = 0
        let options = PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED | UInt32(PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP)
        let bytes = Array(text.utf8)
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &errorCode, &errorOffset, nil) else {
            throw .malformed(code: Int(errorCode), offset: errorOffset)
        }
        self.code = code
        self.text = text
    }

    deinit { pcre2_code_free_8(code) }

    /// Whether the pattern matches all of the bytes. The bytes must be valid UTF-8. Returns false if the match reaches
    /// its work limit.
    func matches(_ bytes: Span<UInt8>) -> Bool {
        guard let matchData = pcre2_match_data_create_8(1, nil), let context = pcre2_match_context_create_8(nil) else {
            return false
        }
        defer {
            pcre2_match_data_free_8(matchData)
            pcre2_match_context_free_8(context)
        }
        let steps = min(Self.mostSteps, max(1, Self.mostBytesWalked / max(1, bytes.count)))
        pcre2_set_match_limit_8(context, UInt32(steps))
        pcre2_set_heap_limit_8(context, Self.heapLimit)
        return bytes.withUnsafeBufferPointer { buffer in
            // If a buffer is empty, its base address may be null. PCRE2 accepts null for a text of length zero.
            pcre2_match_8(code, buffer.baseAddress, buffer.count, 0, 0, matchData, context) >= 0
        }
    }

    public var description: String { text }

    public static func == (left: FieldPattern, right: FieldPattern) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Returns PCRE2's own message for an error code.
    static func text(ofError code: Int) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let length = pcre2_get_error_message_8(Int32(truncatingIfNeeded: code), buffer.baseAddress, buffer.count)
            return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "it does not compile"
        }
    }
}
