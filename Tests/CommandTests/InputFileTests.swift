import ProfileTesting
@testable import profiles
import Testing
import Watchdog

@Suite(.watched) struct InputFileTests {
    @Test(.alone, .unsanitized) func `P12: after a file with a secret is read, no copy of the secret stays in memory`()
        throws
    {
        let folder = try TemporaryFolder()
        let marker = MemoryMarker(count: 1_000)
        try marker.withBytes { bytes throws(SystemError) in
            try SmallFile.write(bytes, to: "\(folder.path)/secret")
        }
        let file = try InputFile("\(folder.path)/secret")
        let occurrences = try file.withContents { bytes throws(CommandFailure) in
            (bytes.count, Result { try marker.occurrences() })
        }
        #expect(occurrences.0 == marker.count)
        #expect(try occurrences.1.get() == 1)
        #expect(try marker.occurrences() == 0)
    }
}
