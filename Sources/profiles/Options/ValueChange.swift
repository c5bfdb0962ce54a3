internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// New values for the fields of many profiles. A value can be a template that contains stored values of the profile.
struct ValueChange: Sendable {
    private var templates: [(field: String, template: ValueTemplate)] = []
    private var values: [JSONMember]

    /// - Parameters:
    ///   - given: The values, by the names that the user typed.
    ///   - schema: The rules in force.
    /// - Throws: A failure if a name means no field, if a field is the key or a secret, if options give a field twice,
    ///   or if the text of a value is not a valid ``ValueTemplate``.
    init(_ given: GivenValues, in schema: ProfileSchema) throws(CommandFailure) {
        values = try schema.named(given.members)
        for member in try schema.named(given.options) {
            guard case .string(let text) = member.value else {
                values.append(member)
                continue
            }
            templates.append((member.name, try ValueTemplate(text, of: member.name, in: schema)))
        }
        for name in values.map(\.name) + templates.map(\.field) {
            let rules = FieldName(name).flatMap { schema[$0] }
            guard name != schema.primaryKey.name.text, name != ProfileDraft.hashName, rules?.isSecret != true else {
                throw CommandFailure(.usage, "\(name) cannot be set for many profiles at once")
            }
            guard rules != nil else {
                throw CommandFailure(
                    .usage, "There is no field \(name.quoted(longest: 64)) to set",
                    "The fields are: \(CommandFailure.list(schema.openFields.map(\.name.text)))")
            }
        }
    }

    func apply(to draft: inout ProfileDraft, of profile: Profile) {
        draft.take(values)
        for (field, template) in templates { draft[field] = template.value(for: profile) }
    }
}
