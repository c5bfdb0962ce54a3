package import Threads

extension ProfileStoreError {
    /// Creates the error of a job that no thread ran.
    package init(_ refusal: ThreadRefusal) {
        switch refusal {
        case .noThread(let code): self = .noThread(code: code)
        case .cancelled: self = .cancelled
        case .busy: self = .busy(holder: nil, waited: .zero)
        case .expired(let waited): self = .busy(holder: nil, waited: waited)
        }
    }
}
