#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension CalendarDay {
        /// Creates the day in UTC that contains a date. Returns nil outside the years 1 to 9999.
        public init?(_ date: Date) {
            guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
            self.init(secondsSince1970: seconds)
        }

        /// The start of this day in UTC.
        public var date: Date { Date(timeIntervalSince1970: Double(daysSince1970) * 86_400) }
    }
#endif
