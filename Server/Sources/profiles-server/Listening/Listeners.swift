internal import Glibc
internal import HTTPBounds
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ProfileServer
internal import ServiceLifecycle

/// The listeners of the service: one for all callers, or one for people and one for programs.
///
/// Two listeners begin and end together. If they were separate services of the group, the first listener would accept
/// connections until the second has answered its last request.
struct Listeners: Service {
    struct Listener: Sendable {
        let port: Int
        let audience: Audience
    }

    let listeners: [Listener]
    let address: ListenAddress
    let bounds: ConnectionBounds
    let certificate: CurrentCertificate?
    let service: StartedService
    let logger: Logger

    func run() async throws {
        let counter = ConnectionCounter()
        try await withThrowingTaskGroup { group in
            for (index, listener) in listeners.enumerated() {
                let application = application(index, listener, counter)
                group.addTask {
                    do {
                        try await application.run()
                    } catch let error as IOError {
                        throw ServerFailure(error, listeningOn: address.authority(port: listener.port))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func application(
        _ index: Int, _ listener: Listener, _ counter: ConnectionCounter
    ) -> Application<StartedResponder> {
        Application(
            responder: StartedResponder(service: service, audience: listener.audience), server: server(counter),
            configuration: ApplicationConfiguration(
                address: .hostname(address.text, port: listener.port), backlog: 1_024,
                availableConnectionsDelegate: MaximumAvailableConnections(bounds.mostConnections, logger: logger)),
            onServerRunning: { channel in
                await service.listens(index, on: channel.localAddress?.port ?? listener.port)
            },
            // Hummingbird's records of requests contain URLs. With this label, `JSONLogHandler` drops them.
            logger: Logger(label: "hummingbird"))
    }

    private func server(_ counter: ConnectionCounter) -> HTTPServerBuilder {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(bounds, counter: counter, refusal: service.answer)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: bounds.headLength, maxHeaderListSize: bounds.headLength,
                maxHeaderFieldCount: Self.mostHeaders))
        return HTTPServerBuilder { responder in
            let plain = HTTP1Channel(responder: responder, configuration: configuration)
            guard let certificate else { return plain }
            return EncryptedChannel(base: plain, certificate: certificate)
        }
    }

    private static let mostHeaders = 200
}

extension ServerFailure {
    /// The failure to listen on an address.
    fileprivate init(_ error: IOError, listeningOn address: String) {
        let reason = Self.systemText(error.errnoCode)
        switch error.errnoCode {
        case EADDRINUSE:
            self.init(
                .unavailable, "Another program listens on \(address)", "Stop it, or choose another port with --port")
        case EACCES, EPERM:
            self.init(
                .notPermitted, "This user may not listen on \(address): \(reason)",
                "Choose a port above 1023 with --port")
        case EADDRNOTAVAIL:
            self.init(
                .unavailable, "This machine does not have the address of \(address)", "Choose another with --host")
        default: self.init(.unavailable, "The service cannot listen on \(address): \(reason)")
        }
    }
}
