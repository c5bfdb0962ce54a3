public import ProfileCore

/// An input to a ``FormState``: a key of the user, or an action of the host.
///
/// Events that change text or move the caret go to the field that has the focus. They do nothing if no field has the
/// focus.
public enum FormEvent: Hashable, Sendable {
    /// Moves the focus to a field. Does nothing if the field does not exist or cannot have the focus.
    case focus(FieldName)
    /// Ends editing. Afterwards no field has the focus.
    case endEditing

    /// Inserts a typed character if it fits.
    case type(Character)
    /// Inserts as much of a text from the clipboard as fits. In a field with a mask only the digits are inserted (F7).
    case paste(String)
    /// Replaces the whole value with one that the host offers (F7).
    case autoFill(String)

    /// Deletes the character before the caret, across a mask's literals.
    case backspace
    /// Deletes the character after the caret.
    case delete
    /// Deletes everything before the caret.
    case deleteToStart
    /// Deletes everything after the caret.
    case deleteToEnd
    /// Deletes the word before the caret and the white space between the word and the caret.
    case deleteWord

    /// Moves the caret one character towards the beginning, across a mask's literals.
    case moveLeft
    /// Moves the caret one character towards the end, across a mask's literals.
    case moveRight
    /// Moves the caret before the first character.
    case moveToStart
    /// Moves the caret after the last character.
    case moveToEnd
    /// Moves the caret to a position counted in characters of the field's text, or to the nearest position if the text
    /// is shorter.
    case moveCaret(to: Int)

    /// Opens the list of choices. Typing also opens the list. A space that opens the list is not inserted.
    case openChoices
    /// Closes the list of choices and restores the content that the field had before the list opened.
    case closeChoices
    /// Selects the next choice. While the list is closed, the field takes that choice immediately.
    case nextChoice
    /// Selects the previous choice. While the list is closed, the field takes that choice immediately.
    case previousChoice
    /// Takes the choice with this ``FieldChoice/value``. Does nothing if there is no such choice.
    case choose(String)

    /// Shows a secret as it was typed, or hides it again. The end of editing also hides it.
    case revealSecret(Bool)

    /// Moves to the next field in the order of focus; from the last field to the first.
    case next
    /// Moves to the previous field; from the first field to the last.
    case previous
    /// Moves forward by ``FormState/pageLength`` fields, at most to the last field.
    case nextPage
    /// Moves back by ``FormState/pageLength`` fields, at most to the first field.
    case previousPage
    /// Moves to the first field in the order of focus.
    case firstField
    /// Moves to the last field in the order of focus.
    case lastField
    /// Moves to the next field; on the last field submits the form (F6). On the last field, an open list may offer a
    /// value that the field does not show yet. In that case the field takes the value, and the form is not submitted.
    case `return`
    /// Judges all fields and, if they are valid, yields the profile (F9).
    case submit
}
