import ProfileCore
import ProfileForm
import ProfileTesting
import Testing
import Watchdog

@Suite(.alone, .unsanitized, .watched) struct FormMemoryTests {
    @Test func `P12: a secret that was typed into a form leaves no copy in memory after the form is gone`() throws {
        let marker = MemoryMarker()
        var form: FormState? = try FormState.standard(editing: "password")
        for index in 0..<marker.count {
            form?.handle(.type(Character(Unicode.Scalar(marker[index]))))
            // Some characters are replaced in the middle of the text, so that the test covers every place where text is
            // replaced.
            if index % 8 == 7 {
                form?.handle(.moveLeft)
                form?.handle(.delete)
                form?.handle(.type(Character(Unicode.Scalar(marker[index]))))
            }
        }
        #expect(form?.focus == .password)
        #expect(try marker.occurrences() > 0)
        form?.handle(.submit)
        form = nil
        #expect(try marker.occurrences() == 0)
    }
}
