import TextLayout
import Testing
import Watchdog

/// Which name somebody meant who mistyped one.
@Suite(.watched) struct NearestNameTests {
    private let names = ["import", "export", "edit", "init", "username", "phone", "postal_code", "password-stdin"]

    @Test(
        "A name that is near is found, and none where none is",
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

    @Test func `of names that are equally near the first is meant, and a long one takes no time`() {
        #expect("cat".nearest(in: ["car", "bat"]) == "car")
        #expect("cat".nearest(in: []) == nil)
        #expect(String(repeating: "x", count: 1_000_000).nearest(in: [String(repeating: "y", count: 1_000_000)]) == nil)
    }
}
