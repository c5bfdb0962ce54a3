import ProfileCore
import ProfileForm
import ProfileTesting
import Testing
import Watchdog

@Suite(.alone, .unsanitized, .watched) struct FormMemoryTests {
    @Test func `P12: what is typed into a form leaves nothing behind when the form goes`() throws {
        let marker = MemoryMarker()
        var form: FormState? = try FormState.standard(editing: "password")
        for index in 0..<marker.count {
            form?.handle(.type(Character(Unicode.Scalar(marker[index]))))
            // In the middle as well, so that every place where text is replaced is gone through.
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
