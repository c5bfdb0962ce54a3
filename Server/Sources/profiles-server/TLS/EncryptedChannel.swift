internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL

/// Sets up connections that are encrypted with the current certificate.
///
/// HummingbirdTLS is not used, because its channel keeps the certificate with which the server started.
struct EncryptedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificate: CurrentCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificate.context))
        }
        .flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
