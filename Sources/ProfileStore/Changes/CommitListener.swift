/// A function that an engine calls after each commit that logs a change. It must return immediately.
///
/// An engine keeps the listener in a mutex. The listener is a struct for speed. If a `Mutex` contains a function
/// directly, each read wraps the function in one more reabstraction thunk.
package struct CommitListener: Sendable {
    private let hear: @Sendable () -> Void

    package init(_ hear: @escaping @Sendable () -> Void) { self.hear = hear }

    package func callAsFunction() { hear() }
}
