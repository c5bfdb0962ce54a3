internal import Platform
package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test under the address sanitizer, which takes memory of its own, and more than can be looked through.
    package static var unsanitized: ConditionTrait {
        .disabled(if: dlsym(nil, "__asan_init") != nil, "The address sanitizer changes the memory that it looks at.")
    }
}
