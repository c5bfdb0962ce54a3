internal import CSVStream
public import ProfileStore

/// Every profile in the chunks of a file; see
/// ``ProfileStore/ProfileRepository/export(as:includingHashes:spreadsheetSafe:)``.
public struct ProfileExport: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let form: ExportForm

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads a page of profiles when the chunks of the one before are taken, and holds nothing of the store in between.
    public struct Iterator: AsyncIteratorProtocol {
        private let export: ProfileExport
        private let gathered = GatheredChunks()
        private var pages: ExportPages?
        private var output: (any ExportOutput)?
        private var chunks: ArraySlice<[UInt8]> = []
        private var isAtEnd = false

        init(_ export: ProfileExport) { self.export = export }

        public mutating func next() async throws(ProfileStoreError) -> [UInt8]? { try await next(isolation: nil) }

        /// The next chunk, of 64 KiB or somewhat more, the last one of less; nil at the end.
        ///
        /// - Throws: `cancelled` when the task was, or why the store cannot be read. What was given until then is not
        ///   whole.
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
            if pages == nil {
                let columns = try await export.repository.columns(of: export.form)
                pages = ExportPages(export.repository, columns)
                inMemory { () throws(ByteStreamError) in
                    output = try export.form.output(columns, to: gathered.sink)
                }
            }
            let rows = try await pages?.next()
            inMemory { () throws(ByteStreamError) in
                if let rows { try output?.write(rows) } else { try output?.finish() }
            }
            isAtEnd = rows == nil
        }

        /// Memory takes whatever is written to it.
        private func inMemory(_ body: () throws(ByteStreamError) -> Void) {
            do throws(ByteStreamError) { try body() } catch {}
        }
    }
}

/// One task at a time goes through the chunks.
@available(*, unavailable)
extension ProfileExport.Iterator: Sendable {}
