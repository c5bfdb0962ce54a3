/// The storage behind a repository: an SQLite file, a PostgreSQL database, or memory.
///
/// Each method is atomic: its writes happen completely or not at all. The writes are durable when the method returns.
/// An engine may commit the writes of several methods together. No method takes or returns SQL, a statement or a
/// connection. No method validates a profile, because callers pass only valid profiles. Methods may run concurrently,
/// and each method reads one consistent snapshot of the store.
///
/// Every method may throw `closed`, and `busy` if it waited too long. If the task was cancelled, a method may throw
/// `cancelled`. In this case it has written nothing. Every method may also throw the errors of the file or the server,
/// such as `corrupt`, `full` and `inputOutput`.
///
/// Engines belong to this package. Each engine has its own `open` function.
package protocol StoreEngine: ProfileEngine, AccountEngine, RuleEngine, ChangeEngine, HistoryEngine, BulkEngine,
    CopyEngine
{
    /// The location of the store, as a text for people: the path of a file, or the address of a database without its
    /// user.
    var place: String { get }

    /// Checks in one cheap round trip that the store can be reached and read.
    ///
    /// - Throws: The error that a read would throw.
    func ping() async throws(ProfileStoreError)

    /// Ends reads and listeners, waits for writes, and closes. Methods throw `closed` from then on. If a server does
    /// not answer, the call stops waiting after at most two seconds.
    func close() async
}
