#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension Timestamp {
        /// Creates the time of a date, rounded down to milliseconds. A date outside the range of `Timestamp` becomes
        /// the first or last possible time.
        public init(_ date: Date) {
            let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
            self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
        }

        /// The same time as a `Date`.
        public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000) }
    }
#endif
