internal import CVTerm

/// A key of a keyboard that types no character.
public enum TerminalKey: Hashable, Sendable {
    /// The up arrow key.
    case up
    /// The down arrow key.
    case down
    /// The left arrow key.
    case left
    /// The right arrow key.
    case right
    /// Goes to the beginning of the line or list, in most programs.
    case home
    /// Goes to the end of the line or list, in most programs.
    case end
    /// Goes back by a screenful, in most programs.
    case pageUp
    /// Goes forward by a screenful, in most programs.
    case pageDown
    /// Deletes the character before the caret.
    case backspace
    /// Deletes the character after the caret.
    case delete
    /// Goes to the next field, in most programs.
    case tab
    /// Tab with the Shift key held. Goes to the previous field, in most programs.
    case backTab
    /// Return, which ends a line or submits.
    case enter
    /// The Escape key. In most programs it leaves or closes the current view.
    case escape
    /// A letter, or one of `@[\]^_`, with the Control key held.
    case control(Character)

    /// The key code in libvterm. Nil if libvterm would send different bytes for the key than most terminals.
    var code: (key: VTermKey, modifier: VTermModifier)? {
        switch self {
        case .up: (VTERM_KEY_UP, VTERM_MOD_NONE)
        case .down: (VTERM_KEY_DOWN, VTERM_MOD_NONE)
        case .left: (VTERM_KEY_LEFT, VTERM_MOD_NONE)
        case .right: (VTERM_KEY_RIGHT, VTERM_MOD_NONE)
        case .home: (VTERM_KEY_HOME, VTERM_MOD_NONE)
        case .end: (VTERM_KEY_END, VTERM_MOD_NONE)
        case .pageUp: (VTERM_KEY_PAGEUP, VTERM_MOD_NONE)
        case .pageDown: (VTERM_KEY_PAGEDOWN, VTERM_MOD_NONE)
        case .backspace: (VTERM_KEY_BACKSPACE, VTERM_MOD_NONE)
        case .delete: (VTERM_KEY_DEL, VTERM_MOD_NONE)
        case .tab: (VTERM_KEY_TAB, VTERM_MOD_NONE)
        case .backTab: (VTERM_KEY_TAB, VTERM_MOD_SHIFT)
        case .enter: (VTERM_KEY_ENTER, VTERM_MOD_NONE)
        case .escape: (VTERM_KEY_ESCAPE, VTERM_MOD_NONE)
        case .control: nil
        }
    }

    /// If the key is a `control` key: the control character that it types. Nil for all other keys.
    var controlCharacter: UInt8? {
        guard case .control(let character) = self, let value = character.uppercased().utf8.first,
            0x40..<0x60 ~= value
        else { return nil }
        return value & 0x1F
    }
}
