import Testing

@testable import HTTPBounds

@Suite(.timeLimit(.minutes(5)))
struct AddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("::FFFF:c000:201", "192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ])
    func `Addresses have one canonical form`(text: String, canonical: String) throws {
        #expect(try #require(ClientAddress(text)).description == canonical)
    }

    @Test(arguments: [
        "", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "1..3.4",
        "0x1.2.3.4", "1.2.3.-4", "1.2.3.+4", "16909060", "fe80::1%eth0", "[::1]", ":", ":::", "1:2:3:4:5:6:7",
        "1::2::3",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1\0", "1.2.3.٤", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:",
    ])
    func `Texts that are not exactly an address are refused`(text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test
    func `The key of an IPv6 address is its /64`() throws {
        let first = try #require(ClientAddress("2001:db8:1:2:aaaa::1"))
        #expect(first.key == ClientAddress("2001:db8:1:2::"))
        #expect(first.key == ClientAddress("2001:db8:1:2:ffff:ffff:ffff:ffff")?.key)
        #expect(first.key != ClientAddress("2001:db8:1:3::")?.key)
        let ipv4 = try #require(ClientAddress("192.0.2.1"))
        #expect(ipv4.key == ipv4)
        #expect(ipv4.key != ClientAddress("192.0.2.2")?.key)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.0.0.1", true),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "2001:db8::1", true),
        ("::/0", "192.0.2.1", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.0/31", "192.0.2.1", true), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("::1", "::1", true), ("::1/128", "::2", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("::ffff:10.0.0.0/104", "11.1.1.1", false),
        ("::ffff:0:0/96", "192.0.2.1", true), ("2001:db8::/33", "2001:db8:7fff::", true),
        ("2001:db8::/33", "2001:db8:8000::", false),
    ])
    func `A range contains the addresses of its prefix`(range: String, address: String, expected: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(ClientAddress(address))) == expected)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/8/8", "10.0.0.0/8 ", "::/129",
        "::ffff:10.0.0.0/8", "localhost/8", "/8", "10.0.0.0/٨",
    ])
    func `Texts that are not exactly a range are refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test
    func `Connections are counted for all, for each address, and not for exempt addresses`() throws {
        let proxy = try #require(AddressRange("198.51.100.0/24"))
        let bounds = ConnectionBounds(mostConnections: 5, mostConnectionsOfAddress: 2, exemptAddresses: [proxy])
        let counter = ConnectionCounter()
        func open(_ text: String?) -> CountedConnection? {
            counter.opened(from: text.flatMap { ClientAddress($0) }, bounds)
        }
        let first = try #require(open("2001:db8::1"))
        let second = try #require(open("2001:db8::2"))
        #expect(open("2001:db8::3") == nil)
        let proxied = (0..<3).compactMap { _ in open("198.51.100.7") }
        #expect(proxied.count == 3 && counter.count == 5)
        #expect(open("192.0.2.1") == nil && open(nil) == nil)
        counter.closed(first)
        #expect(open("2001:db8::3") != nil)
        counter.closed(second)
        #expect(open(nil) != nil)
        for connection in proxied { counter.closed(connection) }
        #expect(counter.count == 2 && counter.addressCount == 1)
    }
}
