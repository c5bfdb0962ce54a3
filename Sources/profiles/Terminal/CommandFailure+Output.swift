internal import TextLayout

extension CommandFailure {
    /// Writes the message to standard error.
    func show() {
        guard let first = lines.first else { return }
        Output.error.note((isChosen ? "" : "Error: ") + first.visible)
        for line in lines.dropFirst() { Output.error.note("  " + line.visible) }
    }
}
