internal import ProfileStore

extension Timestamp {
    /// The time as HTTP writes dates (RFC 9110, 5.6.7): `Fri, 27 Nov 2026 07:39:28 GMT`.
    var httpDate: String {
        let days = millisecondsSince1970.quotientRoundedDown(by: 86_400_000)
        // The first day of 1970 was a Thursday.
        let weekday = Self.weekdays[Int(days + 4 - (days + 4).quotientRoundedDown(by: 7) * 7)]
        let text = description
        let month = Int(text.dropFirst(5).prefix(2)).map { (1...12).contains($0) ? Self.months[$0 - 1] : "" } ?? ""
        let day = text.dropFirst(8).prefix(2), year = text.prefix(4), time = text.dropFirst(11).prefix(8)
        return "\(weekday), \(day) \(month) \(year) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
