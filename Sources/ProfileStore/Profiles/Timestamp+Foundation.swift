#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension Timestamp {
        /// The moment of a date, to the millisecond before it; the first or last that there is for one beyond.
        public init(_ date: Date) {
            let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded(.down)
            self.init(millisecondsSince1970: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
        }

        /// The same moment.
        public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1_000) }
    }
#endif
