package import Testing

/// Lets a test run while no other does. It works on tests that are ``Watched``.
///
/// It is for tests of resources that all tests of the process share: the memory, the descriptors, the signals and the
/// file mode mask. It is also for tests that measure time, because concurrent tests would use the cores.
package struct Alone: SuiteTrait, TestTrait {
    /// On a suite, each test is alone.
    package var isRecursive: Bool { true }
}

extension Trait where Self == Alone {
    /// For a test that must not run at the same time as other tests.
    package static var alone: Alone { Alone() }
}
