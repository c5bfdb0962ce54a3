internal import CSVStream
public import ProfileStore

/// An export of all profiles of a store, as a sequence of chunks of a file. See
/// ``ProfileStore/ProfileRepository/export(as:includingHashes:spreadsheetSafe:original:)``.
public struct ProfileExport: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let form: ExportForm

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the next page of profiles when the caller has taken all chunks of the previous page. Between two pages,
    /// the iterator holds no resource of the store, such as a transaction.
    public struct Iterator: AsyncIteratorProtocol {
        private let export: ProfileExport
        private let gathered = GatheredChunks()
        private var scan: StoreScan?
        private var output: (any ExportOutput)?
        private var chunks: ArraySlice<[UInt8]> = []
        private var isAtEnd = false

        init(_ export: ProfileExport) { self.export = export }

        public mutating func next() async throws(ProfileStoreError) -> [UInt8]? { try await next(isolation: nil) }

        /// Returns the next chunk, or nil at the end. A chunk has 64 KiB or slightly more, and the last chunk may have
        /// less.
        ///
        /// - Throws: `cancelled` if the task was cancelled, or another error if the store could not be read. After an
        ///   error, the file that consists of the returned chunks is incomplete.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ProfileStoreError) -> [UInt8]? {
            while chunks.isEmpty, !isAtEnd {
                do throws(ProfileStoreError) {
                    try await writePage()
                } catch {
                    isAtEnd = true
                    throw error
                }
                chunks = gathered.takeAll()[...]
            }
            return chunks.popFirst()
        }

        private mutating func writePage() async throws(ProfileStoreError) {
            if scan == nil {
                let columns = try await export.repository.columns(of: export.form)
                scan = columns.scan
                inMemory { () throws(ByteStreamError) in
                    output = try export.form.output(columns, to: gathered.sink)
                }
            }
            guard var scan else { return }
            let rows = try await export.repository.nextPage(of: &scan)
            self.scan = scan
            inMemory { () throws(ByteStreamError) in
                if let rows { try output?.write(rows) } else { try output?.finish() }
            }
            isAtEnd = rows == nil
        }

        /// Runs code that writes to memory. Such writing cannot fail.
        private func inMemory(_ body: () throws(ByteStreamError) -> Void) {
            do throws(ByteStreamError) { try body() } catch {}
        }
    }
}

/// Unavailable, because only one task at a time may iterate over the chunks.
@available(*, unavailable)
extension ProfileExport.Iterator: Sendable {}
