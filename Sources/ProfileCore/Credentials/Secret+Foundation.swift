#if Foundation
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension Secret {
        /// Copies the bytes. The caller must zero its own bytes.
        public init(_ data: Data) { self.init(data.span) }
    }
#endif
