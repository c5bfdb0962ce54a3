package import ProfileCore

/// The way in which the command starts. The environment variables determine it (T3).
public enum ScenarioResolution: Hashable, Sendable {
    /// The normal start of the command.
    case normalStart
    /// The screen and the fixture that the environment names.
    case scenario(Scenario)
    /// The environment requests a scenario that does not exist.
    case unknown(UnknownScenario)

    /// Reads three environment variables. If `TestLauncher-testing` has any value, a scenario is requested.
    /// `TestLauncher-VC` names the screen, and `TestLauncher-model` names the fixture.
    public init(_ environment: [String: String]) {
        guard environment["TestLauncher-testing"] != nil else {
            self = .normalStart
            return
        }
        let screen = environment["TestLauncher-VC"]
        let model = environment["TestLauncher-model"]
        let found = Scenario.all.first { $0.screen.rawValue == screen && $0.model == model }
        self = found.map { .scenario($0) } ?? .unknown(UnknownScenario(screen: screen, model: model))
    }
}

/// A requested scenario that does not exist. The process exits with the exit code 64.
public struct UnknownScenario: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value of `TestLauncher-VC`, if it is set.
    public let screen: String?
    /// The value of `TestLauncher-model`, if it is set.
    public let model: String?

    /// The problem with the request, and the list of all scenarios.
    public var description: String {
        let asked: String
        switch (screen, model) {
        case (nil, _): asked = "TestLauncher-VC names no screen"
        case (let screen?, _) where Scenario.Screen(rawValue: screen) == nil:
            asked = "There is no screen \"\(screen)\" (TestLauncher-VC)"
        case (_, nil): asked = "TestLauncher-model names no fixture"
        case (let screen?, let model?): asked = "\(screen) has no fixture \"\(model)\" (TestLauncher-model)"
        }
        return asked + ". Valid names:\n" + Scenario.table
    }
}

extension Scenario {
    /// A table with one line per scenario: screen, fixture, summary.
    public static var table: String {
        let screenWidth = all.map(\.screen.rawValue.count).max() ?? 0
        let modelWidth = all.map(\.model.count).max() ?? 0
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return all.map { scenario in
            "  \(padded(scenario.screen.rawValue, screenWidth))  \(padded(scenario.model, modelWidth))  \(scenario.summary)"
        }.joined(separator: "\n")
    }

    /// The table of scenarios as JSON, for programs.
    package static var json: JSONValue {
        [
            "scenarios": .array(
                all.map { scenario in
                    [
                        "screen": .string(scenario.screen.rawValue), "model": .string(scenario.model),
                        "summary": .string(scenario.summary),
                    ]
                })
        ]
    }
}
