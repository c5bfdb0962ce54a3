/// A function that an engine calls after each commit that logs a change. It must return immediately.
///
/// An engine keeps the listener in a mutex. It is a struct because a `Mutex` wraps a bare function in one more
/// reabstraction thunk each time that the function is read.
package struct CommitListener: Sendable {
    private let hear: @Sendable () -> Void

    package init(_ hear: @escaping @Sendable () -> Void) { self.hear = hear }

    package func callAsFunction() { hear() }
}
