internal import Glibc
internal import NIOSSL

/// The files of a certificate chain and its private key, both in PEM.
struct CertificateFiles: Sendable {
    let certificate: String
    let key: String

    /// Reads both files.
    ///
    /// - Returns: The settings of connections with this certificate.
    /// - Throws: A failure if a file cannot be read, if it has no certificate or key, if the two do not belong together,
    ///   or if every user of the system has a permission for the file of the key.
    func context() throws(ServerFailure) -> NIOSSLContext {
        let chain = try Self.chain(in: try Self.read(certificate, "--tls-certificate", isSecret: false), certificate)
        let key = try Self.key(in: try Self.read(key, "--tls-key", isSecret: true), key)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map(NIOSSLCertificateSource.certificate), privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        // All cipher suites of TLS 1.3 use authenticated encryption (AEAD) and forward secrecy. These suites of TLS 1.2
        // do too. With forward secrecy, a later theft of the server's key does not reveal earlier connections.
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = ["http/1.1"]
        configuration.renegotiationSupport = .none
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw ServerFailure(
                .badConfiguration,
                "The certificate in \(certificate) and the key in \(self.key) do not belong together",
                "Name the certificate of the server first in its file, and its own key with --tls-key")
        }
    }

    private static func chain(in bytes: [UInt8], _ path: String) throws(ServerFailure) -> [NIOSSLCertificate] {
        if let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty { return chain }
        throw ServerFailure(
            .badConfiguration, "\(path) has no certificate in PEM",
            "Name a file with the certificate of the server and those of its issuers with --tls-certificate")
    }

    private static func key(in bytes: [UInt8], _ path: String) throws(ServerFailure) -> NIOSSLPrivateKey {
        if let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) { return key }
        throw ServerFailure(
            .badConfiguration, "\(path) has no private key in PEM without a passphrase",
            "Take the passphrase away with \"openssl pkey\", and let only the user of the service read the file")
    }

    private static let largestFile = 1 << 20

    /// Reads a file. The permissions are those of the file that is read, even if its name is given to another file
    /// meanwhile.
    private static func read(_ path: String, _ option: String, isSecret: Bool) throws(ServerFailure) -> [UInt8] {
        // A FIFO without a writer would otherwise block the program.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, option, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, option, errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= largestFile else {
            throw ServerFailure(.badConfiguration, "\(path) is not a file of at most 1 MiB; \(option) names it")
        }
        guard !isSecret || status.st_mode & 0o007 == 0 else {
            throw ServerFailure(
                .badConfiguration, "Every user of this system may use \(path), the private key",
                "Let only the user of the service read it: chmod o= \(path)")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= largestFile {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, option, errno) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ option: String, _ code: Int32) -> ServerFailure {
        let status: ExitStatus =
            switch code {
            case EACCES, EPERM: .notPermitted
            case EIO: .inputOutput
            default: .noInput
            }
        return ServerFailure(status, "\(path) cannot be read: \(ServerFailure.systemText(code))", "\(option) names it")
    }
}
