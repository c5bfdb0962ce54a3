package import Dispatch
package import ProfileStore
internal import SecretHashing

extension ProfileRepository {
    /// Keeps one hashing thread of the repository busy until the returned semaphore is signalled.
    package func occupyHashingThread() async -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { begun in
            Task {
                try await hasher.pool.run {
                    begun.resume()
                    gate.wait()
                }
            }
        }
        return gate
    }
}
