internal import CSodium
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

/// A SHA-256 digest of whole rows. The digest includes the length of each value. It distinguishes an absent value from
/// an empty value.
struct RowDigest {
    private var state = crypto_hash_sha256_state()
    private let columnCount: Int
    private(set) var count = 0
    /// The buffered bytes of rows that are not yet in the digest. They include hashes of secrets.
    private var bytes: [UInt8] = []

    init(_ columnCount: Int) {
        self.columnCount = columnCount
        crypto_hash_sha256_init(&state)
    }

    mutating func add(_ rows: StoredRows) {
        for (index, row) in rows.rows.enumerated() {
            guard let record = row.record else { continue }
            for number in [
                row.id, record.revision, record.createdAt.millisecondsSince1970,
                record.updatedAt.millisecondsSince1970, Int64(record.schemaVersion),
            ] { append(number) }
            if let issues = record.issues { append(issues.utf8Span.span) } else { append(Self.absent) }
            if let password = record.password {
                append(password.hash.bytes)
                append(Int64(password.schemaVersion))
                append(password.isJudged ? 1 : 0)
            } else {
                append(Self.absent)
            }
            if let hash = record.passcodeHash { append(hash.bytes) } else { append(Self.absent) }
            for column in 0..<columnCount {
                if rows.isAbsent(index, column) { append(Self.absent) } else { append(rows.cell(index, column)) }
            }
            count += 1
            if bytes.count >= 1 << 16 { flush() }
        }
        flush()
    }

    /// Completes the digest. After this call, no row may be added.
    mutating func finish() -> StoreDigest {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256_final(&state, &digest)
        return StoreDigest(profiles: count, checksum: Hexadecimal.text(digest.span))
    }

    /// The digest uses this number as the length of an absent value.
    private static let absent: Int64 = -1

    private mutating func append(_ number: Int64) {
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: Span<UInt8>) {
        append(Int64(text.count))
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private mutating func flush() {
        bytes.withUnsafeMutableBytes { bytes in
            crypto_hash_sha256_update(&state, bytes.baseAddress, UInt64(bytes.count))
            sodium_memzero(bytes.baseAddress, bytes.count)
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
