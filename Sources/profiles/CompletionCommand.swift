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
        if shell == .bash { try Output.standard.print(Self.literalWords + Self.wholeWords) }
    }

    /// Replaces a function of the generated script. `compgen -W` expands its words as the shell expands a command line, so
    /// it would run a `$(…)` that was typed, or that stands in the name of a field. Here a word is only compared.
    private static let literalWords = #"""

        __profiles_add_completions() {
            local completion
            if [[ "${1}" == -W ]]; then
                while IFS='' read -r completion; do
                    if [[ -n "${completion}" && "${completion}" == "${cur}"* ]]; then COMPREPLY+=("${completion}"); fi
                done <<<"${2}"
            else
                while IFS='' read -r completion; do
                    COMPREPLY+=("${completion}")
                done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
            fi
        }

        """#

    /// bash takes `phone=1` for three words, of which it asks about the last, and puts a space behind what it has
    /// completed. So the words are put together again as they were typed, and what has been typed of the last is taken
    /// away from what is offered for it.
    private static let wholeWords = #"""

        _profiles_whole_words() {
            local rest="${COMP_LINE}" word whole
            local -a words=()
            local -i index current=0
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[index]}"
                if [[ "${index}" -eq 0 || -z "${rest}" || "${rest}" == [[:space:]]* ]]; then
                    words+=("${word}")
                else
                    words[${#words[@]} - 1]+="${word}"
                fi
                rest="${rest#*"${word}"}"
                [[ "${index}" -eq "${COMP_CWORD}" ]] && current=$((${#words[@]} - 1))
            done
            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${current}"
            whole="${words[current]}"
            _profiles "${1}" "${whole}" "${words[current - 1]}"
            if [[ "${whole}" == *=* ]]; then COMPREPLY=("${COMPREPLY[@]#"${whole%%=*}="}"); fi
            if [[ "${COMPREPLY[*]}" == *= ]]; then compopt +o filenames -o nospace 2>/dev/null; fi
        }

        complete -o filenames -F _profiles_whole_words profiles
        """#
}
