import ProfileStore
import Testing
import Watchdog

@Suite(.watched) struct AuthorTests {
    @Test(arguments: [
        ("ann", "ann"), ("  ann \n", "ann"), ("ann\tlee\u{0}", "ann lee"), ("an\u{9B}n", "an n"), ("\r\n", nil),
        ("", nil),
        (String(repeating: "a", count: 101), String(repeating: "a", count: 100)),
        (String(repeating: "a", count: 99) + " b", String(repeating: "a", count: 99)),
        (String(repeating: "👩‍👩‍👧", count: 30), String(repeating: "👩‍👩‍👧", count: 22)),
        (String(repeating: "é", count: 100), String(repeating: "é", count: 100)),
        ("a" + String(repeating: "\u{301}", count: 500), nil),
    ])
    func `an author is made of any text, cut and cleaned`(text: String, name: String?) {
        #expect(Author(fitting: text)?.name == name)
    }

    @Test func `a text that is an author stays as it is`() {
        for name in ["ann", "Łódź 12", "profile 12", "a  b", String(repeating: "é", count: 100)] {
            #expect(Author(fitting: name) == Author(name))
            #expect(Author(name) != nil)
        }
    }
}
