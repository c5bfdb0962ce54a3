internal import HTTPTypes
internal import ProfileStore

/// The names of the service's cookies. On an encrypted connection they begin with `__Host-`, which browsers accept only
/// with `Secure` and `Path=/` and without a domain, so that no other host of the same site can set them.
struct CookieNames: Hashable, Sendable {
    let isSecure: Bool

    var session: String { isSecure ? "__Host-profiles-session" : "profiles-session" }
    var device: String { isSecure ? "__Host-profiles-device" : "profiles-device" }

    /// The session's token that a browser has sent.
    func session(in headers: HTTPFields) -> String? { value(session, in: headers) }

    /// The device's token that a browser has sent.
    func device(in headers: HTTPFields) -> String? { value(device, in: headers) }

    private func value(_ name: String, in headers: HTTPFields) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, parts[0] == name { return String(parts[1]) }
            }
        }
        return nil
    }

    /// Returns the `Set-Cookie` fields with the token of the session and, if the device is remembered, the token of the
    /// device.
    func setting(_ started: StartedSession, at now: Timestamp) -> [HTTPField] {
        var fields = [field(session, started.session.text, until: started.session.value.expiresAt, now)]
        if let known = started.device { fields.append(field(device, known.text, until: known.value.expiresAt, now)) }
        return fields
    }

    /// The `Set-Cookie` field that deletes the session cookie. The device cookie remains.
    var endingSession: HTTPField { field(session, "", seconds: 0) }

    private func field(_ name: String, _ value: String, until end: Timestamp, _ now: Timestamp) -> HTTPField {
        field(name, value, seconds: max(0, (end.millisecondsSince1970 - now.millisecondsSince1970) / 1_000))
    }

    private func field(_ name: String, _ value: String, seconds: Int64) -> HTTPField {
        let secure = isSecure ? "; Secure" : ""
        return HTTPField(
            name: .setCookie, value: "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly\(secure); SameSite=Lax")
    }
}
