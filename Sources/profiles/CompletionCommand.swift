internal import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print what makes a shell complete the names of this command.",
        discussion: """
            Completes subcommands and options, the field names and schema versions of the store that is named on the \
            line or in PROFILES_DATABASE, and files by their endings.

              source <(profiles completion bash)
              profiles completion zsh > ~/.zfunc/_profiles
              profiles completion fish > ~/.config/fish/completions/profiles.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    func run() throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try Output.standard.print(ProfilesCommand.completionScript(for: shell))
    }
}
