internal import CPCRE2

/// A compiled regular expression of a schema. It must match the whole value.
///
/// The syntax is that of PCRE2. `\d`, `\w` and `\s` match ASCII only (S1). The work of one match is limited
/// (`pcre2_set_match_limit`), so a pathological pattern does not hang the program: it does not match (S8).
public final class FieldPattern: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Unchecked because of the pointer: compiled code is never written to after `init`, and PCRE2 documents it as safe
    // to share between threads ("pcre2api", MULTITHREADING). Match data is made for each call.
    private let code: OpaquePointer
    /// The expression as a schema file writes it.
    public let text: String

    /// The maximum length of a pattern in bytes.
    public static let longestLength = 4_096
    /// The maximum number of calls of PCRE2's internal match function for one value: about ten milliseconds.
    private static let mostSteps = 200_000
    /// The maximum product of steps and bytes of the value, because one step may read the whole value: about half a
    /// second.
    private static let mostBytesWalked = 1 << 28
    /// The maximum memory for backtracking in KiB.
    private static let heapLimit: UInt32 = 8_192

    /// The reason why a pattern does not compile.
    public enum CompileError: Error, Hashable, Sendable {
        /// The pattern is longer than `allowed` bytes.
        case tooLong(allowed: Int)
        /// PCRE2 refuses the pattern: its error code ("pcre2api", COMPILATION ERROR CODES), and the byte offset of the
        /// error.
        case malformed(code: Int, offset: Int)
    }

    init(_ text: String) throws(CompileError) {
        guard text.utf8.count <= Self.longestLength else {
            throw .tooLong(allowed: Self.longestLength)
        }
        var errorCode: Int32 = 0
        var errorOffset = 0
        let options = PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED | UInt32(PCRE2_NEVER_BACKSLASH_C)
        let bytes = Array(text.utf8)
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &errorCode, &errorOffset, nil) else {
            throw .malformed(code: Int(errorCode), offset: errorOffset)
        }
        self.code = code
        self.text = text
    }

    deinit { pcre2_code_free_8(code) }

    /// Whether the pattern matches all of the bytes, which must be valid UTF-8. Returns false if the work limit is
    /// reached.
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
            // The base address of an empty buffer may be null. PCRE2 accepts a null subject if its length is zero.
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
