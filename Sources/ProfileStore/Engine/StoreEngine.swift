/// The storage behind a repository: an SQLite file, a PostgreSQL database, or memory.
///
/// Each method is atomic: its writes happen completely or not at all, and they are durable when it returns. An engine
/// may commit several methods together. No method takes or returns SQL, a statement or a connection, and none judges a
/// profile: the profiles that arrive are valid. Methods may run concurrently, and each sees the store as of one moment.
///
/// Every method may throw `busy` if its turn did not come in time, and `closed`. It may throw `cancelled` if its task
/// was cancelled before its turn; then it has written nothing. It may also throw the errors of the file or the server,
/// such as `corrupt`, `full` and `inputOutput`.
///
/// Engines belong to this package. Each has its own `open`.
package protocol StoreEngine: ProfileEngine, AccountEngine, RuleEngine, ChangeEngine, BulkEngine, CopyEngine {
    /// The place of the store, for people: the path of a file, or the address of a database without its user.
    var place: String { get }

    /// Checks in one cheap round trip that the store can be reached and read.
    ///
    /// - Throws: The error that a read would throw.
    func ping() async throws(ProfileStoreError)

    /// Ends reads and listeners, waits for writes, and closes. Methods throw `closed` from then on. The call waits at
    /// most one or two seconds for a server that does not answer.
    func close() async
}
