internal import Threads

/// Why a job was not run.
package enum WriteRefusal: Error, Hashable, Sendable {
    /// The write lock did not come in time.
    case busy(holder: WriteLock.Holder?, waited: Duration)
    /// As many jobs wait already as may.
    case tooManyWaiting
    /// The writer is closed.
    case closed
    /// The task was cancelled before its turn.
    case cancelled
    /// The writer has no thread, and none could be started; the code is `pthread_create`'s.
    case noThread(code: Int32)
}

extension WriteRefusal {
    /// The refusal of a job by the writer's thread.
    init(_ refusal: ThreadRefusal) {
        self =
            switch refusal {
            case .busy: .tooManyWaiting
            // No work of the writer's has a deadline there.
            case .expired(let waited): .busy(holder: nil, waited: waited)
            case .cancelled: .cancelled
            case .noThread(let code): .noThread(code: code)
            }
    }
}
