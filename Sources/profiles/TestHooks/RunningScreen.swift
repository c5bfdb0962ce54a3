#if TestHooks
    internal import ProfileCore
    internal import ProfileForm
    internal import ProfileTesting
    internal import TerminalUI
    internal import Threads

    /// The running screen, for use by the control server. The screen handles the requests of the control server and the
    /// key presses one at a time, in the order of their arrival.
    struct RunningScreen: ControlledScreen {
        let requests: AsyncStream<ScreenRequest>.Continuation

        func state(when condition: @escaping @Sendable (JSONValue) -> Bool) async -> JSONValue? {
            let state = Promise<JSONValue?>()
            requests.yield(.stateWhen(condition) { [reply = Reply(state)] in reply.state.fulfill(with: $0) })
            return await state.value
        }

        func send(_ input: ScreenInput) {
            switch input {
            case .type(let text): for character in text { requests.yield(.key(.character(character))) }
            case .press(let key): requests.yield(.key(Key(key)))
            case .paste(let text): requests.yield(.key(.paste(text)))
            case .autoFill(let text): requests.yield(.event(.autoFill(text)))
            case .focus(let name):
                // An event for a field that does not exist has no effect (F11).
                if let name = FieldName(name) { requests.yield(.event(.focus(name))) }
            case .endEditing: requests.yield(.event(.endEditing))
            case .submit: requests.yield(.event(.submit))
            }
        }

        func leave() { requests.yield(.leave) }

        /// The reply to a request. If the user leaves the screen first, the request is dropped, and the reply is nil.
        private final class Reply: Sendable {
            let state: Promise<JSONValue?>

            init(_ state: Promise<JSONValue?>) { self.state = state }

            deinit { state.fulfill(with: nil) }
        }
    }

    extension Key {
        fileprivate init(_ key: TerminalKey) {
            self =
                switch key {
                case .up: .up
                case .down: .down
                case .left: .left
                case .right: .right
                case .home: .home
                case .end: .end
                case .pageUp: .pageUp
                case .pageDown: .pageDown
                case .backspace: .backspace
                case .delete: .delete
                case .tab: .tab
                case .backTab: .backTab
                case .enter: .enter
                case .escape: .escape
                case .control(let letter): .control(letter)
                }
        }
    }
#endif
