/// A range of IPv4 or IPv6 addresses, written as an address and the length of its prefix (CIDR).
public struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    private let mask: UInt128

    /// Parses `10.0.0.0/8`, `fd00::/8`, `::ffff:10.0.0.0/104`, or a single address without a length.
    ///
    /// Bits of the address beyond its prefix are ignored.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = ClientAddress(parts[0]) else { return nil }
        // The prefix length of an IPv4 address without colons is relative to its 32 bits.
        let unusedBits = parts[0].utf8.contains(UInt8(ascii: ":")) ? 0 : 96
        var length = 128
        if parts.count == 2 {
            guard let written = Self.prefixLength(parts[1]), written <= 128 - unusedBits else { return nil }
            length = written + unusedBits
        }
        // A shorter prefix of a mapped address would contain addresses that are not IPv4.
        guard !address.isIPv4 || length >= 96 else { return nil }
        mask = length == 0 ? 0 : UInt128.max << UInt128(128 - length)
        first = ClientAddress(bits: address.bits & mask)
    }

    /// Returns whether the range contains the address. A range of IPv6 addresses contains no IPv4 address.
    public func contains(_ address: ClientAddress) -> Bool {
        address.isIPv4 == first.isIPv4 && address.bits & mask == first.bits
    }

    private static func prefixLength(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8
        guard (1...3).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
            digits.count == 1 || digits.first != 48
        else { return nil }
        return Int(text)
    }
}
