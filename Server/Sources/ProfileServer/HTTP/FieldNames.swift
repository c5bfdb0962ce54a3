internal import HTTPTypes

// Names of header fields that HTTPTypes does not have.
extension HTTPField.Name {
    static let idempotencyKey = known("Idempotency-Key")
    static let link = known("Link")
    static let referrerPolicy = known("Referrer-Policy")
    static let secFetchSite = known("Sec-Fetch-Site")
    static let xForwardedFor = known("X-Forwarded-For")
    static let xForwardedProto = known("X-Forwarded-Proto")

    private static func known(_ name: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
