/// A pressed key, a paste, or a use of the mouse.
package enum Key: Hashable, Sendable {
    /// A typed character, never a control character.
    case character(Character)
    /// A pasted text, cut to 64 KiB; line ends are LF.
    case paste(String)
    case up, down, left, right, home, end, pageUp, pageDown
    case controlHome, controlEnd
    case backspace, delete, tab, backTab, enter, escape
    /// Ctrl and a lower-case letter, or one of `@ \ ] ^ _`; Alt-Backspace is reported as Ctrl-W, because it has the
    /// same effect in shells.
    case control(Character)
    case mouse(MouseEvent)
    /// A key that has no meaning in this program, or bytes that are not UTF-8.
    case unknown
}
