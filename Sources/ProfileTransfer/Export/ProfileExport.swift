internal import CSVStream
public import ProfileStore

/// An export of profiles, as a sequence of chunks of a file. See
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
        private var rows: ExportRows?
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
            if rows == nil {
                let rows = try await ExportRows(export.repository, export.form)
                inMemory { () throws(ByteStreamError) in
                    output = try export.form.output(rows.columns, to: gathered.sink)
                }
                self.rows = rows
            }
            let page: StoredRows?
            do throws(ExportError) {
                page = try await rows?.next()
            } catch {
                throw error.storeError
            }
            inMemory { () throws(ByteStreamError) in
                if let page { try output?.write(page) } else { try output?.finish() }
            }
            isAtEnd = page == nil
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

extension ExportError {
    /// The error in the form in which an export to a sequence of chunks throws it.
    fileprivate var storeError: ProfileStoreError {
        switch self {
        case .store(let error): error
        case .writing(let code), .sorting(let code): .inputOutput("the temporary file of a sorted export", code: code)
        }
    }
}
