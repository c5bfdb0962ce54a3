/// stub
public struct ClientAddress: Hashable, Sendable {
    public struct Key: Hashable, Sendable { let text: String }
    let text: String
    public init?(_ text: String) { self.text = text }
    public var key: Key { Key(text: text) }
}
public struct AddressRange: Sendable {
    public init?(_ text: String) {}
    public func contains(_ address: ClientAddress) -> Bool { false }
}
public struct BodyTimedOut: Error {}
public struct UnreadableBody: Error {}
