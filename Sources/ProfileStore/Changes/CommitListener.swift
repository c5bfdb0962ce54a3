/// Is called after each commit that logs a change. It must return at once.
///
/// An engine keeps it in a `Mutex`. The function lies in a struct because `Mutex` wraps a bare function in one more
/// reabstraction thunk each time that it is taken out.
package struct CommitListener: Sendable {
    private let hear: @Sendable () -> Void

    package init(_ hear: @escaping @Sendable () -> Void) { self.hear = hear }

    package func callAsFunction() { hear() }
}
