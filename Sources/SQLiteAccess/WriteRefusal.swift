internal import Threads

/// The reason why a job did not run.
package enum WriteRefusal: Error, Hashable, Sendable {
    /// The job's deadline passed while it waited for the write lock.
    case busy(holder: WriteLock.Holder?, waited: Duration)
    /// The queue is full.
    case tooManyWaiting
    /// The writer is closed.
    case closed
    /// The caller's task was cancelled before its job began.
    case cancelled
    /// The writer has no thread, and no thread could be started. `code` is the result of `pthread_create`.
    case noThread(code: Int32)
}

extension WriteRefusal {
    /// Converts an error of the writer's thread pool to an error of the writer.
    init(_ refusal: ThreadRefusal) {
        self =
            switch refusal {
            case .busy: .tooManyWaiting
            // The writer gives its pool no deadlines, so this case does not occur.
            case .expired(let waited): .busy(holder: nil, waited: waited)
            case .cancelled: .cancelled
            case .noThread(let code): .noThread(code: code)
            }
    }
}
