/// The limits that a ``ConnectionGuard`` enforces on a connection.
public struct ConnectionBounds: Sendable {
    /// The time for a request's head, from its first byte. On a new connection, the first byte must arrive within the
    /// same time after the accept.
    public var headTime: Duration

    /// The time for a request's body, from the end of the head to the end of the body.
    public var bodyTime: Duration

    /// The maximum time without progress while bytes wait to be sent to the client.
    ///
    /// The progress is checked four times in this time. So the connection may close up to a quarter of the time late.
    public var writeTime: Duration

    /// The time for which a connection may stay open after an answer, without another request.
    public var idleTime: Duration

    /// The time for which input is read and discarded after the last answer. During this time, the client can receive
    /// the answer.
    public var lingerTime: Duration

    /// The maximum number of bytes of a request target.
    public var targetLength: Int

    /// The maximum number of bytes of a request's head. Give it to the HTTP decoder as well.
    public var headLength: Int

    /// The maximum `Content-Length` for which `Expect: 100-continue` is answered with 100.
    ///
    /// The application limits the body itself, because its routes have different limits.
    public var bodyLength: Int

    /// The maximum number of input bytes that are discarded after the last answer.
    public var lingerLength: Int

    /// The maximum number of open connections.
    public var mostConnections: Int

    /// The maximum number of open connections of one IPv4 address or IPv6 /64.
    public var mostConnectionsOfAddress: Int

    /// The addresses to which `mostConnectionsOfAddress` does not apply: those of trusted proxies.
    public var exemptAddresses: [AddressRange]

    public init(
        headTime: Duration = .seconds(10), bodyTime: Duration = .seconds(30), writeTime: Duration = .seconds(10),
        idleTime: Duration = .seconds(60), lingerTime: Duration = .seconds(2), targetLength: Int = 8 * 1024,
        headLength: Int = 16 * 1024, bodyLength: Int = 64 * 1024, lingerLength: Int = 1024 * 1024,
        mostConnections: Int = 8_192, mostConnectionsOfAddress: Int = 256, exemptAddresses: [AddressRange] = []
    ) {
        self.headTime = headTime
        self.bodyTime = bodyTime
        self.writeTime = writeTime
        self.idleTime = idleTime
        self.lingerTime = lingerTime
        self.targetLength = targetLength
        self.headLength = headLength
        self.bodyLength = bodyLength
        self.lingerLength = lingerLength
        self.mostConnections = mostConnections
        self.mostConnectionsOfAddress = mostConnectionsOfAddress
        self.exemptAddresses = exemptAddresses
    }
}
