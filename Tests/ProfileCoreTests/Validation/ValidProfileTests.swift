import Platform
import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct ValidProfileTests {
    @Test func `R1: the validator makes a profile with the values that are stored`() throws {
        let profile = try ProfileValidator(.standard)
            .validate(ProfileDraft(validStandardValues), on: ProfileSchema.day(2026, 1, 15))
        #expect(profile.username == "skboard")
        #expect(try profile[.named("phone")] == "7876-1241")
        #expect(profile[.password] == nil)
        #expect(try profile[.named("email")] == nil)
        #expect(profile.schema == .standard)
    }

    @Test func `R1: code outside of the package compiles against the public interface`() throws {
        let found = try typecheck(
            """
            func profile(_ draft: ProfileDraft, _ today: CalendarDay) throws -> ValidProfile {
                try ProfileValidator(.standard).validate(draft, on: today)
            }
            """)
        #expect(found.isAccepted, "\(found.errors)")
    }

    @Test(arguments: [
        ("let make = ValidProfile.init", "inaccessible"),
        ("func rows(_ profile: ValidProfile) { _ = profile.rows }", "inaccessible"),
        ("func change(_ profile: inout ValidProfile) { profile[.username] = nil }", "get-only"),
        ("func change(_ profile: inout ValidProfile) { profile.schema = .standard }", "constant"),
        ("func decode<T: Decodable>(_: T.Type) {}; let made: () = decode(ValidProfile.self)", "Decodable"),
        ("func change(_ rules: inout FieldRules) { rules.isRequired = false }", "inaccessible"),
        ("let make = FieldRules.init", "inaccessible"),
        (
            "func make(_ rules: [FieldRules]) { _ = ProfileSchema(name: \"\", fields: rules) }",
            "incorrect|inaccessible|extra argument"
        ),
        ("let rows = RowValidator.self", "cannot find"),
        ("func make(_ validator: ProfileValidator) { _ = validator.fields }", "inaccessible"),
    ])
    func `R1: code outside of the package can make no valid profile, nor rules, of its own`(
        snippet: String, reason: String
    ) throws {
        let found = try typecheck(snippet)
        #expect(!found.isAccepted, "\(snippet)")
        #expect(reason.split(separator: "|").contains { found.errors.contains($0) }, "\(found.errors)")
    }

    /// Type-checks code of another package that imports the module under test.
    private func typecheck(_ snippet: String) throws -> (isAccepted: Bool, errors: String) {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let executable = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The test runner may be the toolchain's own, with the bundle for an argument.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? executable
        let modules = bundle.split(separator: "/").dropLast().joined(separator: "/")
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

        var template = Array("/tmp/profiles-typecheck-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        let source = directory + "/snippet.swift"
        let output = directory + "/errors.txt"
        defer {
            unlink(source)
            unlink(output)
            rmdir(directory)
        }
        try write("import ProfileCore\n\(snippet)\n", to: source)

        let arguments = [
            "swiftc", "-typecheck", "-parse-as-library", "-package-name", "another", "-swift-version", "6",
            "-I", "/\(modules)/Modules", "-Xcc", "-fmodule-map-file=/\(root)/Modules/CPCRE2/module.modulemap", source,
        ]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        try #require(
            posix_spawnp(&process, "swiftc", &actions, nil, &pointers, environ) == 0, "swiftc is not in the path")
        var status: Int32 = 0
        try #require(waitpid(process, &status, 0) == process)
        return (status == 0, read(output))
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
    }

    private func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
