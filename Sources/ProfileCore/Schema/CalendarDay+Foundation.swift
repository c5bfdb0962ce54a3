#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension CalendarDay {
        /// The day of a date in UTC; nil for one outside the years that there are.
        public init?(_ date: Date) {
            guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
            self.init(secondsSince1970: seconds)
        }

        /// Its midnight in UTC.
        public var date: Date { Date(timeIntervalSince1970: Double(daysSince1970) * 86_400) }
    }
#endif
