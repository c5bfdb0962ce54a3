public import ProfileCore

/// What happens to a ``Form``: what somebody types, or what a host does for them.
///
/// Those about text go to the field that has the focus, and do nothing where none has.
public enum FormEvent: Hashable, Sendable {
    /// Begins to edit a field; does nothing where there is none of that name, or where it cannot have the focus.
    case focus(FieldName)
    /// Ends editing; no field has the focus then.
    case endEditing

    /// A character that was typed, taken where it fits.
    case type(Character)
    /// A text from the clipboard, of which as much is taken as fits.
    case paste(String)
    /// A value that the host offers and that replaces what is there (F7).
    case autoFill(String)

    /// Takes the character before the caret away, across a mask's literals.
    case backspace
    /// Takes the character after the caret away.
    case delete
    /// Takes everything before the caret away.
    case deleteToStart
    /// Takes everything after the caret away.
    case deleteToEnd
    /// Takes the word before the caret away, with the white space between it and the caret.
    case deleteWord

    /// Moves the caret one character towards the beginning, across a mask's literals.
    case moveLeft
    /// Moves the caret one character towards the end, across a mask's literals.
    case moveRight
    /// Moves the caret before the first character.
    case moveToStart
    /// Moves the caret behind the last character.
    case moveToEnd
    /// In characters of the field's text; the nearest place where there is none.
    case moveCaret(to: Int)

    /// The next field in the order of focus; after the last one the first.
    case next
    /// The field before; before the first one the last.
    case previous
    /// The next field; on the last one the form is submitted (F6).
    case `return`
    /// Judges everything (F9).
    case submit
}
