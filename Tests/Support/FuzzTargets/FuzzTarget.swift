internal import Platform
internal import ProfileTesting

/// A format whose files the fuzzer mutates, with a check that must succeed for every input.
///
/// For CSV, JSON and gzip, the first bytes of an input choose the options of the check (``Choices``), and the rest is
/// the file. So a mutation can change the options or the file.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case csv, json, ndjson, schema, gzip, database

    /// Checks one input.
    ///
    /// - Throws: ``Contradiction`` if the program and the reference disagree. Any other error is one that the program may
    ///   not throw for this input.
    package func check(_ input: [UInt8]) async throws {
        switch self {
        case .csv: try await CSVCheck(input).run()
        case .json, .ndjson: try await JSONCheck(input).run()
        case .schema: try SchemaCheck(input).run()
        case .gzip: try await GzipCheck(input).run()
        case .database: try await DatabaseCheck(input).run()
        }
    }

    /// The folder of the inputs that every run starts from.
    package var corpus: String { Self.corpora + "/\(rawValue)" }

    private static let corpora =
        #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" } + "/Programs/Fuzzer/Corpus"

    /// Returns the names of the committed inputs.
    package var names: [String] { SmallFile.names(in: corpus) }

    /// Returns a committed input.
    package func input(_ name: String) -> [UInt8] { SmallFile.bytes(of: corpus + "/" + name) ?? [] }
}

/// A difference between the outcome and what the reference expects.
package struct Contradiction: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Throws if a condition does not hold.
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws(Contradiction) {
    if !condition { throw Contradiction(text()) }
}

/// Throws if two values differ.
func require<Value: Equatable>(
    _ found: Value, is expected: Value, _ text: @autoclosure () -> String
) throws(Contradiction) {
    if found != expected { throw Contradiction("\(text()): \(found) instead of \(expected)") }
}
