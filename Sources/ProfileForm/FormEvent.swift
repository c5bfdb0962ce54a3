public import ProfileCore

/// An input to a ``FormState``, such as a key that the user pressed or an action of the host.
///
/// Events that change text or move the caret go to the field that has the focus. They do nothing if no field has the
/// focus.
public enum FormEvent: Hashable, Sendable {
    /// Moves the focus to a field. Does nothing if the field does not exist or cannot have the focus.
    case focus(FieldName)
    /// Ends editing. After this event, no field has the focus.
    case endEditing

    /// Inserts a typed character if it fits into the field.
    case type(Character)
    /// Inserts a text from the clipboard. If the text is too long, inserts only its first part. If the field has a
    /// mask, only digits are inserted (F7).
    case paste(String)
    /// Replaces the whole value of the field with a value from the host (F7).
    case autoFill(String)

    /// Deletes the character before the caret. Skips the literals of a mask.
    case backspace
    /// Deletes the character after the caret.
    case delete
    /// Deletes everything before the caret.
    case deleteToStart
    /// Deletes everything after the caret.
    case deleteToEnd
    /// Deletes the word before the caret and the white space between the word and the caret.
    case deleteWord

    /// Moves the caret one character towards the beginning. Skips the literals of a mask.
    case moveLeft
    /// Moves the caret one character towards the end. Skips the literals of a mask.
    case moveRight
    /// Moves the caret before the first character.
    case moveToStart
    /// Moves the caret after the last character.
    case moveToEnd
    /// Moves the caret to a position. The position is a number of characters of the field's text. If the text is
    /// shorter, moves the caret to the nearest position.
    case moveCaret(to: Int)

    /// Opens the list of choices. Typing also opens the list. If the user types a space and this opens the list, the
    /// space is not inserted.
    case openChoices
    /// Closes the list of choices and restores the content that the field had before the list opened.
    case closeChoices
    /// Selects the next choice. If the list is closed, the field immediately takes the selected choice.
    case nextChoice
    /// Selects the previous choice. If the list is closed, the field immediately takes the selected choice.
    case previousChoice
    /// Puts the choice with this ``FieldChoice/value`` into the field. Does nothing if there is no such choice.
    case choose(String)

    /// Shows a secret as it was typed, or hides it again. When editing ends, the secret is hidden too.
    case revealSecret(Bool)

    /// Moves the focus to the next field in the order of focus. From the last field, the focus moves to the first
    /// field.
    case next
    /// Moves the focus to the previous field. From the first field, the focus moves to the last field.
    case previous
    /// Moves the focus forward by ``FormState/pageLength`` fields, but not beyond the last field.
    case nextPage
    /// Moves the focus back by ``FormState/pageLength`` fields, but not beyond the first field.
    case previousPage
    /// Moves to the first field in the order of focus.
    case firstField
    /// Moves to the last field in the order of focus.
    case lastField
    /// Moves the focus to the next field. On the last field, submits the form (F6). But if the last field has an open
    /// list, and the user has not typed the whole selected choice, the field takes this choice, and the form is not
    /// submitted.
    case `return`
    /// Validates all fields. If all fields are valid, the effects contain the profile (F9).
    case submit
}
