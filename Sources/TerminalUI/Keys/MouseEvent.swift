/// A use of the mouse over a cell of the screen. Only the left button and the wheel are reported.
package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case press
        /// The mouse was moved to another cell while the button is pressed.
        case drag
        case release
        case wheelUp
        case wheelDown
    }

    package let action: Action
    /// The cell. It can be outside the screen, because a terminal may send any number.
    package let position: ScreenPosition

    package init(_ action: Action, row: Int, column: Int) {
        self.action = action
        position = ScreenPosition(row: row, column: column)
    }
}

extension MouseEvent {
    /// Creates the event of xterm's control sequence SGR (private mode 1006): the button, the column and the row, which
    /// begin at 1. Nil if the event has no meaning in this program, such as the press of another button.
    init?(_ numbers: [Int], endingIn last: UInt8) {
        guard numbers.count == 3, numbers[1] >= 1, numbers[2] >= 1 else { return nil }
        let isPress = last == UInt8(ascii: "M")
        // Shift, Alt and Ctrl set the bits 4, 8 and 16. They do not change the meaning.
        let action: Action
        switch numbers[0] & ~(4 + 8 + 16) {
        case 0: action = isPress ? .press : .release
        case 32 where isPress: action = .drag
        case 64 where isPress: action = .wheelUp
        case 65 where isPress: action = .wheelDown
        default: return nil
        }
        self.init(action, row: numbers[2] - 1, column: numbers[1] - 1)
    }
}

extension Key {
    /// The number of lines by which the mouse wheel scrolls. It is negative for an upward scroll. Nil if the key is not a
    /// movement of the wheel.
    var wheelLines: Int? {
        guard case .mouse(let event) = self else { return nil }
        return switch event.action {
        case .wheelUp: -3
        case .wheelDown: 3
        case .press, .drag, .release: nil
        }
    }
}
