internal import HTTPTypes
internal import ProfileStore

/// The ETag of a profile: its revision, the version of the rules that judged it, and whether they found it invalid. A
/// revalidation changes the last two, but not the revision. So a request with the ETag of an older judgement fails.
struct EntityTag: Hashable, Sendable {
    let revision: Int64
    let schemaVersion: Int
    let isInvalid: Bool

    init(_ profile: Profile) {
        revision = profile.revision
        schemaVersion = profile.schemaVersion
        isInvalid = profile.status == .invalid
    }

    /// Reads the ETag of a profile, with its quotes. Returns nil for any other text: it is the ETag of no profile.
    init?(_ text: Substring) {
        guard text.count > 2, text.first == "\"", text.last == "\"" else { return nil }
        let parts = text.dropFirst().dropLast().split(separator: "-", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let revision = Int64(parts[0]), let version = Int(parts[1]),
            parts.count == 2 || parts[2] == "invalid"
        else { return nil }
        self.revision = revision
        schemaVersion = version
        isInvalid = parts.count == 3
        guard self.text == text else { return nil }
    }

    var text: String { "\"\(revision)-\(schemaVersion)\(isInvalid ? "-invalid" : "")\"" }
}

/// What a request expects of the profile that it changes: the header `If-Match`.
enum Precondition: Hashable, Sendable {
    case anything
    /// One of these ETags. Those that no profile can have are left out.
    case tags([EntityTag])

    /// Nil if the header is absent.
    init?(_ headers: HTTPFields) throws(Problem) {
        let fields = headers[values: .ifMatch]
        guard !fields.isEmpty else { return nil }
        let items = fields.joined(separator: ",").split(separator: ",").map { $0.trimmed() }
        if items == ["*"] {
            self = .anything
            return
        }
        guard !items.isEmpty, items.allSatisfy({ $0.isEntityTag }) else { throw .badPrecondition }
        self = .tags(items.compactMap { EntityTag($0) })
    }

    /// Checks the precondition, and returns the revision on which the change must be based.
    ///
    /// - Parameters:
    ///   - profile: The profile as it is now.
    ///   - isKeyed: Whether the request has an idempotency key, so that it may be a repeat. An earlier attempt may have
    ///     changed the revision, and only the store knows this. So the store checks an outdated revision.
    /// - Returns: The revision; nil if the request accepts any.
    /// - Throws: `stale` if the profile has another ETag, unless the store checks the revision.
    func revision(of profile: Profile, isKeyed: Bool) throws(Problem) -> Int64? {
        guard case .tags(let tags) = self else { return nil }
        if tags.contains(EntityTag(profile)) { return profile.revision }
        guard isKeyed, tags.count == 1, tags[0].revision != profile.revision else { throw .stale }
        return tags[0].revision
    }
}

extension Substring {
    fileprivate func trimmed() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    /// Whether the text has the form of an ETag (RFC 9110), strong or weak. It need not be the ETag of a profile.
    fileprivate var isEntityTag: Bool {
        let opaque = hasPrefix("W/") ? dropFirst(2) : self
        return opaque.count >= 2 && opaque.first == "\"" && opaque.last == "\""
            && opaque.dropFirst().dropLast().allSatisfy { $0 != "\"" }
    }
}
