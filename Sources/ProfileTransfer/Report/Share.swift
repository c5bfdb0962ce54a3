internal import TextLayout

/// Formats a part of a whole as a percentage. If the part is not 0, the result is greater than 0 percent. If the part
/// is not the whole, the result is less than 100 percent.
package enum Share {
    /// Returns a text such as `12.5 %`, or nil if the whole is nil or 0.
    package static func text(_ part: Int, of whole: Int?) -> String? {
        guard let whole, whole > 0 else { return nil }
        let tenths = Int((Double(part) / Double(whole) * 1_000).rounded())
        if part > 0, tenths == 0 { return "<0.1 %" }
        if part < whole, tenths >= 1_000 { return ">99.9 %" }
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
