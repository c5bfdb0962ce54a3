internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct SchemaRenameCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename fields; their values stay.",
        discussion: """
            Only the schema changes, so it takes no longer in a large store. Files that have the old name in their header \
            can still be imported. A schema file does the same with "profiles": {"was": "city"} in the field. Two fields \
            may swap their names.

              profiles schema rename city town
              profiles schema rename home work work home
            """)

    @Argument(
        help: ArgumentHelp("The name of a field and its new name; further pairs may follow.", valueName: "names"),
        completion: CompletedWords.fields)
    var names: [String]

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard names.count.isMultiple(of: 2) else {
            throw ValidationError("Give each field with its new name: profiles schema rename city town")
        }
    }

    func run() async throws {
        try await global.withStore("schema rename") { repository in
            let pairs = try pairs(in: repository.schema)
            let version = try await repository.rules.rename(pairs)
            switch global.format {
            case .text:
                if !global.quiet {
                    let list = pairs.sorted { $0.key < $1.key }.map { "\($0.key) to \($0.value)" }
                    try Output.standard.print("Renamed \(list.joined(separator: ", ")), as version \(version)")
                }
                let unjudged = try await repository.rules.countUnjudged()
                if unjudged > 0 { global.note(unjudged.unjudgedProfiles) }
            case .json:
                let renamed = pairs.sorted { $0.key < $1.key }
                    .map { JSONMember($0.key.text, .string($0.value.text)) }
                try Output.standard.print(["version": .number(version), "renamed": .object(renamed)])
            }
        }
    }

    /// Returns the new names by the old ones.
    private func pairs(in schema: ProfileSchema) throws(CommandFailure) -> [FieldName: FieldName] {
        var pairs: [FieldName: FieldName] = [:]
        for index in stride(from: 0, to: names.count, by: 2) {
            let field = try schema.comparedField(told: names[index], forbidden: "The password cannot be renamed")
            guard schema[field.name] != nil else {
                let name = names[index].quoted(longest: 64)
                throw CommandFailure(.usage, "\(name) is kept by the store, and has no other name")
            }
            guard let name = FieldName(names[index + 1]) else {
                throw CommandFailure(
                    .usage, "\(names[index + 1].quoted(longest: 64)) cannot be the name of a field",
                    "A name begins with a lower-case letter; then lower-case letters, digits and _ may follow")
            }
            guard name != field.name else {
                throw CommandFailure(.usage, "The field \(field.name) has this name already")
            }
            guard pairs.updateValue(name, forKey: field.name) == nil else {
                throw CommandFailure(.usage, "The field \(field.name) is given twice")
            }
        }
        for (old, new) in pairs.sorted(by: { $0.key < $1.key }) where schema[new] != nil && pairs[new] == nil {
            throw CommandFailure(
                .usage, "\(old) cannot be renamed to \(new): there is a field \(new) already",
                "To swap both names, give \(old) \(new) \(new) \(old)")
        }
        return pairs
    }
}
