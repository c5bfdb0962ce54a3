internal import Platform

/// The times of the test cases, without their waits for a turn. `PROFILES_TEST_TIMES` names the file for them.
///
/// The times that Swift Testing prints contain these waits, because it begins all tests at once; see ``Turns``.
enum TestTimes {
    private static let file = getenv("PROFILES_TEST_TIMES").map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) }

    /// Appends a line: the milliseconds, and the name of the test.
    static func add(_ time: Duration, of test: String) {
        guard let file else { return }
        // One call appends the whole line, so the lines of two tests do not mix.
        var line = "\(Int(time / .milliseconds(1))) \(test)\n"
        line.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
    }
}
