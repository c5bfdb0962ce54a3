#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension Secret {
        /// Copies the bytes; the caller still owns, and zeroes, its own.
        public init(_ data: Data) { self.init(data.span) }
    }
#endif
