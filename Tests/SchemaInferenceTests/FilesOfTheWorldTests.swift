import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Files that imitate real files of different fields, with labels that a person gave.
@Suite(.watched) struct FilesOfTheWorldTests {
    @Test(arguments: FilesOfTheWorld.all)
    func `N2: every column gets the label that a person gave it`(file: FileOfTheWorld) async throws {
        let proposal = try await inferring(file.bytes) { if file.key == nil { $0.key = .rowNumber } }
        #expect(proposal.labels == file.labels)
        #expect(proposal.key == (file.key.map { .column($0) } ?? .rowNumber))
    }

    @Test(arguments: FilesOfTheWorld.all)
    func `N1: every row is valid except the rows that are counted as refused`(file: FileOfTheWorld) async throws {
        let proposal = try await inferring(file.bytes) { if file.key == nil { $0.key = .rowNumber } }
        #expect(proposal.refusedRows == file.refused)
        let report = try await proposal.validating(file.bytes)
        #expect(report.rejected == file.refused, "\(report.lines.prefix(5))")
        #expect(report.rows == proposal.rows)
        // The files cause no warnings except for the quotes in titles.
        let unexpected = proposal.warnings.filter { if case .strayQuotes = $0 { false } else { true } }
        #expect(unexpected == [])
    }

    @Test func `N3: a file without a unique column has no schema unless rows are numbered`() async throws {
        let proposal = try await inferring(FilesOfTheWorld.penguins.bytes)
        #expect(proposal.key == nil)
        #expect(proposal.schema == nil)
        #expect(proposal.columns.count == 11)
    }

    @Test func `rows with too many cells and rows without a key or with a repeated key are listed by line`()
        async throws
    {
        let visits = try await inferring(FilesOfTheWorld.visits.bytes)
        #expect(visits.refused.map(\.reason) == [.cellCount])
        #expect(visits.refused.first?.rows.lines == [12, 62, 112, 162, 212])
        let subscribers = try await inferring(FilesOfTheWorld.subscribers.bytes)
        #expect(subscribers.refused.map(\.reason) == [.noKey, .repeatedKey])
        #expect(subscribers.refused.map(\.rows.lines) == [[79], [201, 401]])
    }
}
