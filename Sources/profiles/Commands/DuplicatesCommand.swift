internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct DuplicatesCommand: AsynchronousCommand, ResultWriting, ConditionUsing {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "duplicates",
            abstract: "Find profiles that may mean the same.",
            discussion: """
                Shows groups of profiles whose fields of --by are equal apart from case, accents, spaces and punctuation; \
                without --by, all fields except the key. Also shows pairs of profiles with similar names: they differ \
                in case, accents, punctuation or the order of words. Names of 6 letters or more may also differ in one \
                letter, and names of 12 letters or more in two. The names are sorted in three ways, and each name is \
                only compared with the names near it, so some pairs may be missing.

                With --merge, shows two of these profiles at a time, on a screen or line by line with --plain. You \
                choose the value of each field that differs, and which id, password and sessions are kept. The other \
                profile is removed, and its sessions end. "profiles undo" reverts a merge.

                  profiles duplicates
                  profiles duplicates --by phone,birthday
                  profiles duplicates --by phone --merge
                  profiles duplicates --similar first_name,last_name --limit 500 --format json

                \(CompletedWords.fieldList)
                """)
    }

    @Option(
        help: ArgumentHelp(
            "Group profiles that are equal in these fields, separated by commas. (default: all fields except the key)",
            valueName: "field,…"),
        completion: CompletedWords.columnLists)
    var by: ColumnList?

    @Option(
        help: ArgumentHelp(
            "Compare the names in these fields, separated by commas. (default: fields that are called name, full_name, "
                + "first_name, last_name and so on)",
            valueName: "field,…"),
        completion: CompletedWords.columnLists)
    var similar: ColumnList?

    @Option(
        help: ArgumentHelp(
            "Show at most this many groups, and this many pairs; all are counted. (default: 100, with --merge all)",
            valueName: "n"))
    var limit: Int?

    @Flag(help: "Merge the profiles, two at a time.")
    var merge = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard 0...1_000_000 ~= limit ?? 0 else { throw ValidationError("--limit takes 0 to 1000000.") }
        guard merge || !asking.isPlain else { throw ValidationError("--plain is for --merge.") }
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        let way = merge ? global.asking(asking) : nil
        guard way != nil || !merge else {
            throw CommandFailure(
                .usage, "Profiles can only be merged on a terminal, and there is none",
                "Without a terminal, set the values with \"profiles edit\", and remove the other profile with "
                    + "\"profiles remove\"")
        }
        try await global.withStore("duplicates") { repository in
            let duplicates = try await find(in: repository)
            if let way { return try await merge(duplicates, way, in: repository) }
            try show(FoundDuplicates(duplicates, limit: limit ?? 100))
        }
    }

    private func find(in repository: ProfileRepository) async throws -> ProfileDuplicates {
        let schema = repository.schema
        let fields = try by.map { list throws(CommandFailure) in try names(list, in: schema) }
        let nameFields = try similar.map { list throws(CommandFailure) in try names(list, in: schema) }
        let query = ProfileQuery(
            try notedConditions(in: schema), joinsByOr: conditions.joinsByOr, status: conditions.status)
        return try await repository.duplicates(
            by: fields, similarNames: nameFields ?? schema.nameFields, matching: query,
            temporaryFolder: Environment["TMPDIR"] ?? "/var/tmp")
    }

    private func show(_ found: FoundDuplicates) throws {
        switch global.format {
        case .json: try Output.standard.print(found.json)
        case .text: try Output.standard.write(found.text)
        }
    }

    private func names(_ list: ColumnList, in schema: ProfileSchema) throws(CommandFailure) -> [FieldName] {
        try list.headers.map { header throws(CommandFailure) in
            try schema.comparedField(told: header, forbidden: "Profiles cannot be compared by a secret").name
        }
    }
}

extension ProfileSchema {
    /// The fields whose names say that they contain the name of a person or thing.
    fileprivate var nameFields: [FieldName] {
        let usual: Set = [
            "name", "fullname", "firstname", "lastname", "givenname", "familyname", "surname", "forename", "middlename",
            "vorname", "nachname", "companyname", "company",
        ]
        return openFields.filter { field in
            field.type == .string && usual.contains(field.name.text.filter { $0 != "_" })
        }.map(\.name)
    }
}

/// The first groups and pairs to show, and the total numbers of groups, grouped profiles and pairs.
private struct FoundDuplicates {
    private let fields: [FieldName]
    private let nameFields: [FieldName]
    private var groups: [ProfileDuplicates.Group] = []
    private var pairs: [ProfileDuplicates.Pair] = []
    private var groupCount = 0
    private var groupedCount = 0
    private var pairCount = 0

    init(_ duplicates: ProfileDuplicates, limit: Int) throws(ComparisonError) {
        fields = duplicates.fields
        nameFields = duplicates.nameFields
        while let group = try duplicates.nextGroup() {
            groupCount += 1
            groupedCount += group.count
            if groups.count < limit { groups.append(group) }
        }
        while let pair = try duplicates.nextPair() {
            pairCount += 1
            if pairs.count < limit { pairs.append(pair) }
        }
    }

    // MARK: Text

    var text: String {
        var sections = [groupText]
        if !nameFields.isEmpty { sections.append(pairText) }
        return sections.joined(separator: "\n")
    }

    private var groupText: String {
        let subject = "equal in \(CommandFailure.list(fields.map(\.text)))"
        guard groupCount > 0 else { return "No profiles are \(subject)\n" }
        let shown = 1..<groupCount ~= groups.count ? "; the first \(groups.count.grouped)" : ""
        var text =
            "\(groupCount.counted("group")) of \(groupedCount.grouped) profiles "
            + "\(subject)\(shown)\n"
        for group in groups {
            var table = TextTable(widestCell: Self.widestCell)
            for member in group.members.prefix(Self.mostShown) { table.add([member.key] + member.values) }
            text += "\n" + table.lines.map { "  \($0)\n" }.joined()
            let rest = group.count - min(group.members.count, Self.mostShown)
            if rest > 0 { text += "  and \(rest.grouped) more\n" }
        }
        return text
    }

    private var pairText: String {
        let subject = "similar names in \(CommandFailure.list(nameFields.map(\.text)))"
        guard pairCount > 0 else { return "No profiles have \(subject)\n" }
        let shown = 1..<pairCount ~= pairs.count ? "; the first \(pairs.count.grouped)" : ""
        var table = TextTable([], [.left, .left, .left, .left, .right], widestCell: Self.widestCell)
        for pair in pairs {
            let (first, second) = (pair.first, pair.second)
            table.add([
                first.key, first.values.compactMap(\.self).joined(separator: " "), second.key,
                second.values.compactMap(\.self).joined(separator: " "),
            ])
        }
        let heading =
            "\(pairCount.counted("pair")) of profiles with \(subject)\(shown)\n"
        return heading + (pairs.isEmpty ? "" : "\n") + table.lines.map { "  \($0)\n" }.joined()
    }

    private static let widestCell = 40
    /// The maximum number of profiles of a group that are shown as text.
    private static let mostShown = 20

    // MARK: JSON

    var json: JSONValue {
        [
            "fields": .array(fields.map { .string($0.text) }),
            "name_fields": .array(nameFields.map { .string($0.text) }),
            "group_count": .number(groupCount), "grouped_profiles": .number(groupedCount),
            "groups": .array(
                groups.map {
                    ["count": .number($0.count), "profiles": .array($0.members.map { json(of: $0, fields) })]
                }),
            "pair_count": .number(pairCount),
            "pairs": .array(
                pairs.map {
                    [
                        "distance": .number($0.distance),
                        "profiles": [json(of: $0.first, nameFields), json(of: $0.second, nameFields)],
                    ]
                }),
        ]
    }

    private func json(of member: ProfileDuplicates.Member, _ fields: [FieldName]) -> JSONValue {
        let values = zip(fields, member.values).map { field, value in
            JSONMember(field.text, value.map(JSONValue.string) ?? .null)
        }
        return ["id": .number(member.id), "key": .string(member.key), "values": .object(values)]
    }
}
