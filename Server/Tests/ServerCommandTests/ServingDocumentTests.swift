import Glibc
import Testing

/// The path of the command `profiles`, which `make test-server` sets.
private let command = getenv("PROFILES_COMMAND").map { String(cString: $0) }

/// Checks that the commands of the document Serving work.
@Suite(.timeLimit(.minutes(5)), .enabled(if: command != nil)) struct ServingDocumentTests {
    @Test func `The lines of the document run as they are, one after another`() async throws {
        let document =
            #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/Documentation/Serving.md"
        let blocks = TemporaryPlace.read(document).shellBlocks
        #expect(blocks.count >= 6)
        let place = try TemporaryPlace()
        let port = try Connection.freePort()
        let folders = [try #require(command), try RunningServer.program()]
            .map { $0.split(separator: "/").dropLast().map { "/" + $0 }.joined() }
        // Another program may use the port of the document, so the service listens on another one.
        let script = blocks.joined(separator: "\n").replacing(
            "--open-registration", with: "--open-registration --port \(port)"
        )
        .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
        try place.write(
            """
            set -e
            trap 'kill $! 2> gone.txt || true' EXIT
            PATH="\(folders.joined(separator: ":")):$PATH"
            \(script)
            """, to: "document.sh")
        let run = try await RunningServer.run(["/bin/bash", "-c", "cd \"$HOME\" && bash -e document.sh"], in: place)
        #expect(run.status == 0, "\(run.output)\n\(run.error)\n\(TemporaryPlace.read(place.path + "/server.log"))")
        #expect(run.output.contains(#""address":"4 Elm St""#) && run.output.contains("too_short"), "\(run.output)")
        #expect(run.output.contains(#""postal_code":"89761""#))
    }
}

extension String {
    /// The blocks of a document in Markdown that are written as `shell`.
    fileprivate var shellBlocks: [String] {
        components(between: "\n```shell\n", and: "\n```\n")
    }

    private func components(between start: String, and end: String) -> [String] {
        split(separator: start).dropFirst().compactMap { $0.split(separator: end, maxSplits: 1).first.map(String.init) }
    }
}
