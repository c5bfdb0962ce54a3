internal import Platform
package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test under the address sanitizer. The sanitizer reserves more memory than a test can search.
    package static var unsanitized: ConditionTrait {
        .disabled(if: dlsym(nil, "__asan_init") != nil, "The address sanitizer changes the memory that it looks at.")
    }
}
