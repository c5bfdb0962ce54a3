internal import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a shell script that completes the arguments of this command.",
        discussion: """
            Completes subcommands and options, file names by their extensions, and the field names and schema versions \
            of the store at --database or PROFILES_DATABASE.

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

    /// Replaces a function of the generated script. The bash command `compgen -W` expands words in the same way as bash
    /// expands a command line. So `compgen -W` would execute a `$(…)` in the user's text or in a field name. The new
    /// function only compares words.
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

    /// Corrects two behaviours of bash. Bash splits `phone=1` into three words and completes only the last one. Bash
    /// also puts a space after a completed word. This function joins the words as the user typed them, and removes the
    /// part before `=` from the suggestions.
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
