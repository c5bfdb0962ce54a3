internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the certificate again at each SIGHUP. Without TLS, the signal has no effect; it does not end the process.
struct CertificateRereading: Service {
    let certificate: CurrentCertificate?
    /// The SIGHUP signals. They are caught before the program prints that it accepts requests. So a later SIGHUP does
    /// not end the process.
    let hangups: UnixSignalsSequence
    let logger: Logger

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            guard let certificate else {
                logger.notice("SIGHUP has no effect without TLS")
                continue
            }
            do throws(ServerFailure) {
                try certificate.reread()
                logger.notice("new connections get the certificate that was just read")
            } catch {
                logger.error(
                    "the certificate was not read; new connections get the old one",
                    metadata: ["reason": .string(error.lines[0])])
            }
        }
    }
}
