internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct SummaryCommand: AsynchronousCommand, ResultWriting, ConditionUsing {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "summary",
            abstract: "Summarise the values of each field.",
            discussion: """
                Shows for each field how many profiles have a value, the number of different values, the least and the \
                greatest value, the mean of numbers, the lengths, and the most frequent values with their share. Counts \
                at most 100,000 different values of a field, and says so if there are more.

                  profiles summary
                  profiles summary city birthday --values 30
                  profiles summary --where 'birthday>=2000-01-01' --format json

                \(CompletedWords.fieldList)
                """)
    }

    @Argument(
        help: ArgumentHelp(
            "Summarise these fields only: names, titles or headers, or facts such as _created_at.", valueName: "field"),
        completion: CompletedWords.fields)
    var fields: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show at most this many values of a field. (default: 5, or 20 for fields that are named)", valueName: "n"))
    var values: Int?

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard 0...10_000 ~= (values ?? 0) else { throw ValidationError("--values takes 0 to 10000.") }
    }

    func run() async throws {
        let summary = try await global.withStore("summary") { repository in
            let schema = repository.schema
            let columns = try fields.map { field throws(CommandFailure) in
                try schema.comparedField(told: field, forbidden: "A secret is never shown").name
            }
            let query = ProfileQuery(
                try notedConditions(in: schema), joinsByOr: conditions.joinsByOr, status: conditions.status)
            return try await repository.summary(
                of: columns.isEmpty ? nil : columns, matching: query,
                mostValues: values ?? (columns.isEmpty ? 5 : 20))
        }
        switch global.format {
        case .json: try Output.standard.print(summary.json)
        case .text: try Output.standard.write(summary.text(drawingBars: Output.standard.takesControlCodes))
        }
    }
}
