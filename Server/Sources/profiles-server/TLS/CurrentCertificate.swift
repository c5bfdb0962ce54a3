internal import NIOSSL
internal import Synchronization

/// The certificate that new connections get. Its files may be read again while the service runs.
final class CurrentCertificate: Sendable {
    private let files: CertificateFiles
    private let current: Mutex<NIOSSLContext>

    /// Reads the files for the first time.
    init(_ files: CertificateFiles) throws(ServerFailure) {
        self.files = files
        current = Mutex(try files.context())
    }

    /// The settings of the next connection.
    var context: NIOSSLContext { current.withLock { $0 } }

    /// Reads the files again. Connections that are open keep their certificate. If the files cannot be used, new
    /// connections get the old certificate too.
    func reread() throws(ServerFailure) {
        let new = try files.context()
        current.withLock { $0 = new }
    }
}
