internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// The order of profiles.
struct OrderOptions: ParsableArguments {
    @Option(
        name: .customLong("sort"),
        help: ArgumentHelp(
            "Sort by a field or by _id, _created_at and so on; FIELD:desc sorts the greatest values first. Profiles "
                + "without a value come last. May be repeated, for profiles with equal values.", valueName: "field"),
        completion: CompletedWords.fields)
    var sorting: [String] = []

    @Flag(help: "With --sort: sort the greatest values first, unless FIELD:asc is given.")
    var descending = false

    func validate() throws {
        guard !sorting.isEmpty || !descending else { throw ValidationError("--descending requires --sort FIELD.") }
    }

    /// The names of the fields of `--sort`, as the user typed them, and whether the greatest values come first.
    var sorts: [(field: String, isDescending: Bool)] {
        sorting.map(WrittenSort.init).map { ($0.field, $0.isDescending ?? descending) }
    }

    /// The order of `--sort`. Nil without `--sort`.
    func order(in schema: ProfileSchema) throws(CommandFailure) -> ProfileQuery.Order? {
        var fields: [ProfileQuery.SortField] = []
        for sort in sorts {
            let rules = try schema.comparedField(told: sort.field, forbidden: "Profiles cannot be sorted by a secret")
            guard !fields.contains(where: { $0.field == rules.name }) else {
                throw CommandFailure(.usage, "--sort names \(sort.field.quoted(longest: 64)) twice")
            }
            fields.append(ProfileQuery.SortField(rules.name, isDescending: sort.isDescending))
        }
        return fields.isEmpty ? nil : .fields(fields)
    }
}
