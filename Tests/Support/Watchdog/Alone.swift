package import Testing

/// Lets a test run while no other does. It works on tests that are ``Watched``.
///
/// It is for what tests of one process share: its memory and descriptors, its signals and file mode mask, and, where a
/// test goes by time, the cores.
package struct Alone: SuiteTrait, TestTrait {
    /// On a suite, each test is alone.
    package var isRecursive: Bool { true }
}

extension Trait where Self == Alone {
    /// For a test that bears no other beside it.
    package static var alone: Alone { Alone() }
}
