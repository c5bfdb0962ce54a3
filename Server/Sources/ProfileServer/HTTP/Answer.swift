internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

/// What a route answers.
struct Answer: Sendable {
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]
    var body: [UInt8] = []
    /// The profile that the request was about, for the log.
    var profileID: Int64?

    static let noContent = Answer(status: .noContent)

    static func json(
        _ value: JSONValue, _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], of profileID: Int64? = nil
    ) -> Answer {
        var answer = Answer(status: status, headers: headers, body: value.utf8(), profileID: profileID)
        answer.headers[.contentType] = "application/json"
        return answer
    }

    /// A profile with its ETag, as this caller may see it.
    static func profile(
        _ profile: Profile, for caller: Caller, _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Answer {
        var headers = headers
        headers[.eTag] = EntityTag(profile).text
        return json(caller.isPerson ? profile.ownerJSON : profile.json, status, headers: headers, of: profile.id)
    }
}
