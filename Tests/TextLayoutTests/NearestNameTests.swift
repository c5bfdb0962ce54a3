import TextLayout
import Testing
import Watchdog

/// The name that a user probably meant by a mistyped name.
@Suite(.watched) struct NearestNameTests {
    private let names = ["import", "export", "edit", "init", "username", "phone", "postal_code", "password-stdin"]

    @Test(
        "a similar name is found, and none if no name is similar",
        arguments: [
            ("improt", "import"), ("inport", "import"), ("imort", "import"), ("importt", "import"),
            ("IMPORT", "import"),
            ("exprot", "export"), ("user", "username"), ("phon", "phone"), ("fone", "phone"), ("phoen", "phone"),
            ("postalcode", "postal_code"), ("postal", "postal_code"), ("edti", "edit"), ("ed", "edit"), ("x", nil),
            ("", nil), ("mobile", nil), ("remove", nil), ("password", "password-stdin"),
            ("pasword-stdin", "password-stdin"),
        ] as [(String, String?)])
    func nearest(typed: String, name: String?) {
        #expect(typed.nearest(in: names) == name)
    }

    @Test func `of equally similar names the first is found, and long names are compared quickly`() {
        #expect("cat".nearest(in: ["car", "bat"]) == "car")
        #expect("cat".nearest(in: []) == nil)
        #expect(String(repeating: "x", count: 1_000_000).nearest(in: [String(repeating: "y", count: 1_000_000)]) == nil)
    }
}
