internal import ProfileCore
internal import ProfileForm
internal import ProfileStore
internal import TerminalUI
internal import TextLayout

/// A form that asks for one field per line, without control codes. It validates each answer immediately.
struct PlainForm {
    private let repository: ProfileRepository
    /// The revision that is edited. Nil for a new profile.
    private var base: Profile?
    private var draft: ProfileDraft
    /// The state of a form. It describes the values that each field accepts.
    private let form: FormState
    /// A rejected row. The form asks only for the wrong fields of the row.
    private var rowToMend: RowToMend?
    /// Whether the form has asked for some fields again. If so, the issues that were shown with the row are out of
    /// date.
    private var hasAskedAgain = false

    /// Begins a new profile.
    init(registeringIn repository: ProfileRepository) {
        self.init(repository, base: nil, draft: ProfileDraft())
    }

    /// Begins with the stored values of a profile.
    init(editing stored: Profile, in repository: ProfileRepository) {
        self.init(repository, base: stored, draft: stored.draft)
    }

    /// Begins with a rejected row. The form asks only for the wrong fields of the row.
    init(mending row: RowToMend, in repository: ProfileRepository) {
        self.init(repository, base: row.stored, draft: row.draft)
        rowToMend = row
    }

    private init(_ repository: ProfileRepository, base: Profile?, draft: ProfileDraft) {
        self.repository = repository
        self.base = base
        self.draft = draft
        form = FormState(repository.validator, on: repository.today)
    }

    /// Asks for every field, unless the form mends a row. If the rules or the store refuse some fields, asks for these
    /// fields, until the profile is stored.
    ///
    /// - Throws: ``RowLeft`` or ``MendingEnded`` if the user does not mend the row.
    mutating func run() async throws -> Profile {
        do {
            if let rowToMend {
                Self.say("An empty answer keeps what was there; - alone clears an optional field.")
                for field in form.fields where field.rules.isSecret && rowToMend.lacksPassword { try ask(for: field) }
            } else if let base {
                Self.say(
                    "Edit \(base.username). An empty answer keeps what is stored; - alone clears an optional field.")
            } else {
                Self.say("Register a profile. An empty answer leaves an optional field empty.")
            }
            if rowToMend == nil {
                for field in form.fields where field.takesFocus { try ask(for: field) }
            }
            return try await store()
        } catch let failure as CommandFailure {
            let state = base.map { CommandFailure.unchanged($0.username) } ?? CommandFailure.nothingStored
            guard failure.status != .interrupted else {
                throw CommandFailure.left(.interrupted, rowToMend == nil ? state : RowToMend.unfinished)
            }
            throw CommandFailure(failure.status, lines: failure.lines + (rowToMend == nil ? [state] : []))
        }
    }

    private mutating func store() async throws -> Profile {
        while true {
            do {
                let valid = try validated()
                try await rowToMend?.willStore(valid)
                guard let base else { return try await repository.register(valid) }
                return try await repository.replace(base, with: valid)
            } catch let failure as ValidationFailure {
                try askAgain(failure.issues, after: failure)
            } catch let error as ProfileStoreError where error.issues != nil {
                try askAgain(error.issues ?? [], after: error)
            } catch let error as ProfileStoreError where error.code == .staleRevision {
                try await takeOver()
            }
        }
    }

    /// Shows a rejected row and asks whether to mend it now.
    ///
    /// - Throws: ``RowLeft`` if the user does not mend the row, ``MendingEnded`` if the user stops mending.
    static func offer(_ row: RowToMend, in repository: ProfileRepository) throws {
        let values = repository.schema.fields.compactMap { rules in
            row.value(of: rules.name).map { "\(rules.title) \($0)" }
        }
        say("\(row.title): \(values.isEmpty ? "no values" : values.joined(separator: ", "))")
        if let notice = row.notice { say(notice) }
        for issue in row.issues { say("  " + repository.schema.message(for: issue) + ".") }
        try requireWish("Mend it")
    }

    /// Asks whether to continue with a row.
    private static func requireWish(_ question: String) throws {
        while true {
            switch try LinePrompt.ask("\(question)? [Y/n/d/q]").lowercased() {
            case "", "y", "yes": return
            case "q", "quit": throw MendingEnded()
            case "n", "no": throw RowLeft.forLater
            case "d", "delete": throw RowLeft.forGood
            default:
                say("Answer y to mend the row, n to leave it for later, d to delete it from the file, or q to stop.")
            }
        }
    }

    private mutating func ask(for field: FormField) throws {
        while true {
            if field.rules.isSecret {
                draft.password = try askSecret(field)
            } else {
                draft[field.name.text] = answered(try LinePrompt.ask(question(field)), field)
            }
            guard isRefused(field.name) else { return }
            try requireGoingOn()
        }
    }

    /// If the form mends a row, asks whether to try again. Without this question, the user could leave the row only
    /// after valid answers.
    private func requireGoingOn() throws {
        if rowToMend != nil { try Self.requireWish("Try again") }
    }

    /// Returns the value of an answer. If the answer is empty, the field keeps its original value. An earlier answer
    /// that was refused is not used.
    private func answered(_ answer: String, _ field: FormField) -> DraftValue? {
        // The form shows a title such as Yes or No for a boolean, and accepts this title as an answer.
        let value = form.choice(for: answer, in: field.name)?.value ?? answer
        guard let before = rowToMend?.draft ?? base?.draft else { return DraftValue(value) }
        if answer.isEmpty { return before[field.name] }
        return answer == "-" && !field.rules.isRequired ? nil : DraftValue(value)
    }

    /// - Returns: Nil for an empty answer. A new profile then has no password, and a stored profile keeps its password.
    private func askSecret(_ field: FormField) throws -> Secret? {
        while true {
            let secret = try SecretPrompt.ask(question(field).visible)
            if secret.isEmpty { return nil }
            var judged = self
            judged.draft.password = secret
            // If a secret breaks the rules, the user need not type it a second time.
            if judged.isRefused(field.name, quietly: true) { return secret }
            if try SecretPrompt.ask("Repeat \(field.rules.title.visible.lowercased())") == secret { return secret }
            Self.say("The two are not the same.")
        }
    }

    private func question(_ field: FormField) -> String {
        var parts = [field.rules.title]
        if let value = rowToMend?.value(of: field.name) {
            parts.append("was \(value)")
        } else if let base {
            let value = base[field.name].map(field.rules.shownForm(of:)).map(shown(in: field))
            parts.append(field.rules.isSecret ? "empty keeps it" : value.map { "now \($0)" } ?? "now empty")
        } else if field.rules.isRequired {
            parts.append("required")
        }
        return (parts + [field.hint]).joined(separator: ", ")
    }

    /// Validates the answer for a field, and returns whether the answer is refused. Prints the issue of a refused
    /// answer, unless `quietly` is true.
    private func isRefused(_ name: FieldName, quietly: Bool = false) -> Bool {
        do throws(ValidationFailure) {
            _ = try validated()
        } catch {
            guard let issue = error.issues.first(where: { $0.field == name }) else { return false }
            if !quietly { say(issue) }
            return true
        }
        return false
    }

    private func validated() throws(ValidationFailure) -> ValidProfile {
        try repository.validator.validate(draft, on: repository.today, hasPassword: base?.hasPassword ?? false)
    }

    private mutating func askAgain(_ issues: [ValidationIssue], after error: any Error) throws {
        let schema = repository.schema
        var wrong = Set(issues.compactMap(\.field))
        // A computed key cannot be typed, so the form asks for the fields from which it is computed.
        if form[schema.primaryKey.name]?.takesFocus == false, wrong.contains(schema.primaryKey.name) {
            wrong.formUnion(schema.keyParts.map { schema.fields[$0].name })
        }
        let fields = form.fields.filter { $0.takesFocus && wrong.contains($0.name) }
        // If none of the issues belongs to a field that the form can ask for, no answer can correct them.
        guard !fields.isEmpty else { throw error }
        let told = hasAskedAgain ? [] : rowToMend?.issues ?? []
        issues.filter { !told.contains($0) }.forEach(say)
        if hasAskedAgain { try requireGoingOn() }
        hasAskedAgain = true
        for field in fields { try ask(for: field) }
    }

    /// Shows the fields that another writer has changed meanwhile. If the user has changed the same field, asks the
    /// user to choose one of the values.
    private mutating func takeOver() async throws {
        guard let base, let latest = try await repository.profile(id: base.id) else {
            throw ProfileStoreError.notFound(username: base?.username ?? "")
        }
        Self.say("Another user or program has changed this profile meanwhile.")
        for conflict in latest.conflicts(with: try validated(), since: base) {
            let theirs = conflict.theirs.isEmpty ? "empty" : conflict.theirs
            if conflict.isContested {
                let yours = conflict.yours.isEmpty ? "left it empty" : "have \(conflict.yours)"
                Self.say("\(conflict.title) is now \(theirs), and you \(yours).")
                guard try !LinePrompt.isYes(LinePrompt.ask("Keep yours? [y/N]")) else { continue }
            } else {
                Self.say("\(conflict.title) is now \(theirs).")
            }
            draft[conflict.field] = latest.draft[conflict.field]
        }
        draft.stored = latest.draft.stored
        self.base = latest
    }

    /// Returns a function that converts a stored boolean to its title in the form. The function returns any other text
    /// unchanged.
    private func shown(in field: FormField) -> (String) -> String {
        { form.choice(for: $0, in: field.name)?.title ?? $0 }
    }

    private func say(_ issue: ValidationIssue) {
        guard let name = issue.field, let index = repository.schema.index(of: name) else {
            return Self.say(repository.schema.message(for: issue) + ".")
        }
        let refused = draft[name].flatMap {
            repository.validator.refusedCharacter(in: $0.text.utf8Span.span, index: index)
        }
        Self.say(repository.schema.fields[index].message(for: issue, refused) + ".")
    }

    private static func say(_ text: String) { Output.error.note(text.visible) }
}
