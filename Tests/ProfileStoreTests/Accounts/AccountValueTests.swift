import ProfileStore
import Testing
import Watchdog

/// Labels, scopes, ids and session policies: accepted values, and values that are corrected.
@Suite(.watched) struct AccountValueTests {
    @Test func `a label is one line of 1 to 100 characters`() {
        for text in ["a", "Firefox on Linux", "caf\u{E9} 日本語", String(repeating: "é", count: 100)] {
            #expect(AccountLabel(text)?.text == text)
        }
        let tooLong = [String(repeating: "a", count: 101), "a" + String(repeating: "\u{301}", count: 300)]
        for text in ["", "a\nb", "a\tb", "a\u{7F}", "a\u{202E}b", "a\u{2028}b", "\0"] + tooLong {
            #expect(AccountLabel(text) == nil, "\(text)")
        }
    }

    @Test func `a label is made of any text, unless no visible character remains`() {
        #expect(AccountLabel(fitting: "Mozilla/5.0\r\n(X11)")?.text == "Mozilla/5.0  (X11)")
        #expect(AccountLabel(fitting: String(repeating: "a", count: 1_000))?.text.count == 100)
        for text in [String(repeating: "👨‍👩‍👧‍👦", count: 200), "a" + String(repeating: "\u{301}", count: 10_000)] {
            let label = AccountLabel(fitting: text)
            #expect(label.flatMap { AccountLabel($0.text) } == label && label != nil)
        }
        for text in ["", " ", "\n\n", "\u{200B}"] { #expect(AccountLabel(fitting: text) == nil) }
    }

    @Test func `a scope is a word`() {
        for text in ["read", "reports:daily", "v1.profiles_read-all", String(repeating: "a", count: 32)] {
            #expect(AccessScope(text)?.text == text)
        }
        for text in ["", "Read", "a b", "a,b", "é", "a\n", String(repeating: "a", count: 33)] {
            #expect(AccessScope(text) == nil, "\(text)")
        }
        for scope in [AccessScope.read, .write, .support, .admin] { #expect(AccessScope(scope.text) == scope) }
        #expect(AccessScope.support.text == "support")
    }

    @Test func `an id is 16 hexadecimal digits`() {
        #expect(TokenID("0123456789abcdef")?.description == "0123456789abcdef")
        for text in [
            "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg", "0123456789abcde ",
        ] {
            #expect(TokenID(text) == nil, "\(text)")
        }
    }

    @Test func `the values of a session policy are limited to their bounds`() {
        let standard = SessionPolicy.standard
        #expect(standard.idleTime == .seconds(3_600) && standard.lifetime == .seconds(86_400))
        let least = SessionPolicy(idleTime: .seconds(-1), lifetime: .zero, mostOfProfile: 0)
        #expect(least.idleTime == .seconds(1) && least.lifetime == .seconds(1) && least.mostOfProfile == 1)
        let most = SessionPolicy(idleTime: .seconds(Int64.max), lifetime: .seconds(Int64.max), mostOfProfile: .max)
        #expect(most.idleTime == most.lifetime && most.lifetime == .seconds(315_360_000))
        #expect(most.mostOfProfile == 10_000)
        #expect(SessionPolicy(idleTime: .seconds(60), lifetime: .seconds(30)).idleTime == .seconds(30))
    }
}
