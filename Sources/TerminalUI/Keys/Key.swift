/// A key that was pressed, or a paste.
package enum Key: Hashable, Sendable {
    /// A character that was typed, never a control character.
    case character(Character)
    /// What was pasted, 64 KiB of it at most; line ends are LF.
    case paste(String)
    case up, down, left, right, home, end, pageUp, pageDown
    case controlHome, controlEnd
    case backspace, delete, tab, backTab, enter, escape
    /// Ctrl and a lower-case letter, or one of `@ [ \ ] ^ _`; Alt-Backspace is Ctrl-W, as in shells.
    case control(Character)
    /// A key that has no meaning here, or bytes that are no UTF-8.
    case unknown
}
