public import ProfileCore

/// What happens to a ``FormState``: what somebody types, or what a host does for them.
///
/// Those about text go to the field that has the focus, and do nothing where none has.
public enum FormEvent: Hashable, Sendable {
    /// Begins to edit a field; does nothing where there is none of that name, or where it cannot have the focus.
    case focus(FieldName)
    /// Ends editing; no field has the focus then.
    case endEditing

    /// A character that was typed, taken where it fits.
    case type(Character)
    /// A text from the clipboard, of which as much is taken as fits, and for a mask its digits alone (F7).
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

    /// Shows the choices of a field that has some; typing does so too. A space does, where none were shown before.
    case openChoices
    /// Hides the choices, and undoes what was typed meanwhile.
    case closeChoices
    /// Selects the choice after the present one, which the field takes at once where the choices are not shown.
    case nextChoice
    /// Selects the choice before the present one.
    case previousChoice
    /// Takes a choice by its ``FieldChoice/value``; does nothing where there is none.
    case choose(String)

    /// Shows a secret as it was typed, or hides it again; the end of the field hides it too.
    case revealSecret(Bool)

    /// The next field in the order of focus; after the last one the first.
    case next
    /// The field before; before the first one the last.
    case previous
    /// As many fields on as ``FormState/pageLength`` says, or the last one.
    case nextPage
    /// As many fields back, or the first one.
    case previousPage
    /// The first field in the order of focus.
    case firstField
    /// The last field in the order of focus.
    case lastField
    /// The next field; on the last one the form is submitted (F6), unless that took a choice from a list.
    case `return`
    /// Judges everything (F9).
    case submit
}
