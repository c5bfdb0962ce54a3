internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct ShowCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one profile.",
        discussion: """
            Shows every field that is not secret, and what the store keeps besides: the id, the revision, the times and \
            the status. Exits 1 if there is no such profile. "profiles lookup" does the same for scripts, and finds \
            profiles by other fields.

              profiles show skboard
              profiles show skboard --format json
            """)

    @Argument(help: ArgumentHelp("The key of the profile, in upper or lower case.", valueName: "key"))
    var key: String

    @Flag(help: "Do not use a pager on a terminal.")
    var noPager = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        try await global.withStore("show", inOneCall: true) { repository in
            guard let profile = try await repository.profile(username: key) else {
                let condition = ProfileQuery.Condition(repository.schema.primaryKey.name, .equals(key))
                throw CommandFailure(.no, lines: [.noProfile(key)] + repository.impossible([condition]))
            }
            switch global.format {
            case .text: try Pager.show(profile.text, isWanted: !noPager)
            case .json: try Output.standard.print(profile.json)
            }
        }
    }
}
