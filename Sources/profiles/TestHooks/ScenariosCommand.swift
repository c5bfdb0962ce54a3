#if TestHooks
    internal import ArgumentParser
    internal import ProfileCore
    internal import ProfileTesting
    internal import TextLayout

    struct ScenariosCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "scenarios",
            abstract: "List the screens and fixtures that a test can start.",
            discussion: """
                They start only in a build with the trait TestHooks. Such a build must not be shipped.

                  profiles scenarios
                  env TestLauncher-testing=1 TestLauncher-VC=LoginViewController \\
                      TestLauncher-model=LoginModel1 profiles
                """)

        @Option(help: "Write results as text or json.")
        var format = OutputFormat.text

        func run() throws {
            switch format {
            case .text:
                let table = Scenario.all.reduce(into: TextTable(["SCREEN", "FIXTURE", "DESCRIPTION"])) {
                    $0.add([$1.screen.rawValue, $1.model, $1.summary])
                }
                try Output.standard.write(table.text)
            case .json: try Output.standard.print(Scenario.json)
            }
        }
    }
#endif
