internal import CSVStream
public import ProfileStore

/// An export of profiles, as a sequence of chunks of a file. See
/// ``ProfileStore/ProfileRepository/export(as:includingHashes:spreadsheetSafe:original:)``.
public struct ProfileExport: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = ProfileStoreError

    let repository: ProfileRepository
    let form: ExportForm
    /// The export as ``opened()`` has opened it. Nil if each iteration opens the export itself.
    private var opening: OpenedExport?

    init(repository: ProfileRepository, form: ExportForm) {
        self.repository = repository
        self.form = form
    }

    /// Opens the export: reads the rules in force from the store, and checks the query and the columns. No profile is read.
    ///
    /// A service calls this method before it sends the status of its response, so it can still answer with the error:
    ///
    /// ```swift
    /// let export = try await repository.export(matching: query, as: .csv).opened()
    /// let response = respond(status: 200)
    /// for try await chunk in export { try await response.write(chunk) }
    /// ```
    /// - Returns: The same export. Iterations of it do not open it again.
    /// - Throws: `invalidQuery`, `closed`, `unavailable`, …
    public func opened() async throws(ProfileStoreError) -> ProfileExport {
        var export = self
        export.opening = try await start()
        return export
    }

    fileprivate func start() async throws(ProfileStoreError) -> OpenedExport {
        if let opening { return opening }
        return try await OpenedExport(repository, form)
    }

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
                let opened = try await export.start()
                inMemory { () throws(ByteStreamError) in
                    output = try export.form.output(opened.columns, to: gathered.sink)
                }
                rows = ExportRows(opened)
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
    /// The error as a `ProfileStoreError`, which an export to a sequence of chunks throws.
    fileprivate var storeError: ProfileStoreError {
        switch self {
        case .store(let error): error
        case .writing(let code), .sorting(let code): .inputOutput("the temporary file of a sorted export", code: code)
        }
    }
}
