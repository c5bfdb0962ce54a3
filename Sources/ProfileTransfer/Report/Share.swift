internal import TextLayout

/// A part of a whole in percent, so written that it says nothing and all only where they are meant.
enum Share {
    /// `12.5 %`; nil where there is no whole.
    static func text(_ part: Int, of whole: Int?) -> String? {
        guard let whole, whole > 0 else { return nil }
        let tenths = Int((Double(part) / Double(whole) * 1_000).rounded())
        if part > 0, tenths == 0 { return "<0.1 %" }
        if part < whole, tenths >= 1_000 { return ">99.9 %" }
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
