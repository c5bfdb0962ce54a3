/// The address of a client: IPv4 or IPv6.
///
/// An IPv4-mapped IPv6 address equals the IPv4 address, because a dual-stack socket reports IPv4 clients as mapped
/// addresses.
public struct ClientAddress: Hashable, Sendable {
    /// The address as IPv6. IPv4 addresses are mapped (`::ffff:0:0/96`).
    let bits: UInt128

    init(bits: UInt128) {
        self.bits = bits
    }

    init(ipv4: UInt32) {
        bits = UInt128(0xffff) << 32 | UInt128(ipv4)
    }

    /// Parses an address of digits: `192.0.2.1`, `2001:db8::1` or `::ffff:192.0.2.1`.
    ///
    /// Returns `nil` for names, zones, ports, brackets, leading zeros in IPv4 and white space.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard let bits = Self.parseIPv6(bytes) else { return nil }
            self.init(bits: bits)
        } else {
            guard let ipv4 = Self.parseIPv4(bytes[...]) else { return nil }
            self.init(ipv4: ipv4)
        }
    }

    /// Whether this is an IPv4 address.
    public var isIPv4: Bool { bits >> 32 == 0xffff }

    /// The address for which connections and login attempts are counted: an IPv4 address itself, or the IPv6 /64.
    ///
    /// An Internet provider usually gives each customer a whole /64. So a limit for single IPv6 addresses would have no
    /// effect.
    public var key: ClientAddress {
        isIPv4 ? self : ClientAddress(bits: (bits >> 64) << 64)
    }

    private static func parseIPv4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + UInt32(byte - UInt8(ascii: "0"))
            }
            guard value <= 255 else { return nil }
            address = address << 8 | value
        }
        return address
    }

    private static func parseIPv6(_ bytes: [UInt8]) -> UInt128? {
        guard bytes.count <= 45 else { return nil }
        let colon = UInt8(ascii: ":")
        if let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) {
            guard let before = groups(bytes[..<gap], endsWithIPv4: false),
                let after = groups(bytes[(gap + 2)...], endsWithIPv4: true), before.count + after.count <= 7
            else { return nil }
            let zeros = [UInt16](repeating: 0, count: 8 - before.count - after.count)
            return joined(before + zeros + after)
        }
        guard let all = groups(bytes[...], endsWithIPv4: true), all.count == 8 else { return nil }
        return joined(all)
    }

    private static func joined(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    /// Returns the groups of 16 bits between colons, or `nil` if one is malformed. Empty input has no groups.
    private static func groups(_ bytes: ArraySlice<UInt8>, endsWithIPv4: Bool) -> [UInt16]? {
        if bytes.isEmpty { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if endsWithIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let ipv4 = parseIPv4(part) else { return nil }
                groups += [UInt16(ipv4 >> 16), UInt16(ipv4 & 0xffff)]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var value: UInt16 = 0
            for byte in part {
                guard let digit = hexadecimalDigit(byte) else { return nil }
                value = value << 4 | digit
            }
            groups.append(value)
        }
        return groups
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension ClientAddress: CustomStringConvertible {
    /// The address in its canonical form (RFC 5952).
    public var description: String {
        if isIPv4 {
            return stride(from: 24, through: 0, by: -8).map { String(bits >> UInt128($0) & 0xff) }
                .joined(separator: ".")
        }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
        let gap = Self.longestZeros(groups)
        func text(_ groups: ArraySlice<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let gap else { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }

    /// Returns the first longest run of at least two zero groups.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest.count >= 2 ? longest : nil
    }
}
