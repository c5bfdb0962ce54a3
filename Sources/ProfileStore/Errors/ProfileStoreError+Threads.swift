package import Threads

extension ProfileStoreError {
    /// Creates the error for work that no thread could run.
    package init(_ refusal: ThreadRefusal) {
        switch refusal {
        case .noThread(let code): self = .noThread(code: code)
        case .cancelled: self = .cancelled
        case .busy: self = .busy(holder: nil, waited: .zero)
        case .expired(let waited): self = .busy(holder: nil, waited: waited)
        }
    }
}
