import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ShareTests {
    @Test(
        "I8: a share is shown as none or as all only if it is exactly that",
        arguments: [
            (0, 8, "0.0 %"), (1, 8, "12.5 %"), (8, 8, "100.0 %"), (1, 3, "33.3 %"), (2, 3, "66.7 %"),
            (1, 1_000_000, "<0.1 %"), (999_999, 1_000_000, ">99.9 %"), (1, 0, nil), (0, nil, nil),
        ] as [(Int, Int?, String?)])
    func share(part: Int, whole: Int?, text: String?) {
        #expect(Share.text(part, of: whole) == text)
    }
}
