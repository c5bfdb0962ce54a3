internal import CPCRE2

/// A regular expression of a schema, compiled, that a whole value must match.
///
/// PCRE2's syntax. `\d`, `\w` and `\s` are ASCII (S1). The work of one match is bounded (`pcre2_set_match_limit`), so
/// that a pathological pattern ends as a mismatch instead of hanging the program (S8).
public final class FieldPattern: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Unchecked because of the pointer: compiled code is never written to after `init`, and PCRE2 documents it as safe
    // to share between threads ("pcre2api", MULTITHREADING). Match data is made for each call.
    private let code: OpaquePointer
    /// As a schema file writes it.
    public let text: String

    /// Longest pattern, in bytes.
    public static let longestLength = 4_096
    /// The most steps, that is calls of PCRE2's internal match function, for one value: about ten milliseconds.
    private static let mostSteps = 200_000
    /// The most steps times bytes, since one step may walk the whole value: about half a second.
    private static let mostBytesWalked = 1 << 28
    /// Memory for backtracking, in KiB.
    private static let heapLimit: UInt32 = 8_192

    /// Why a pattern does not compile.
    public enum CompileError: Error, Hashable, Sendable {
        /// In bytes.
        case tooLong(allowed: Int)
        /// PCRE2's code of the error ("pcre2api", COMPILATION ERROR CODES), and the byte at which it was found.
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

    /// Whether the whole of the bytes, valid UTF-8, match; false as well when the bound on work was reached.
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
            // PCRE2 takes a null subject only with a length of zero, which an empty buffer may be.
            pcre2_match_8(code, buffer.baseAddress, buffer.count, 0, 0, matchData, context) >= 0
        }
    }

    public var description: String { text }

    public static func == (left: FieldPattern, right: FieldPattern) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// PCRE2's own words for the code of an error.
    static func text(ofError code: Int) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let length = pcre2_get_error_message_8(Int32(truncatingIfNeeded: code), buffer.baseAddress, buffer.count)
            return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "it does not compile"
        }
    }
}
