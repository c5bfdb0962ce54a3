internal import ArgumentParser
internal import Glibc
internal import HTTPBounds
internal import Logging
internal import Metrics
internal import ProfileServer
internal import ProfileStore
internal import PrometheusMetrics
internal import ServiceLifecycle
internal import UnixSignals

/// The program `profiles-server`. Parses the arguments, opens the store, and serves it until a signal ends it.
@main
struct ProfilesServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles-server",
        abstract: "Serve the profiles of a store over HTTP.",
        discussion: """
            People log in with their password and see and edit their own profile. Programs have access tokens, which \
            "profiles token create" makes, and see and edit all profiles.

              profiles-server --database people.sqlite
              profiles-server --behind-proxy 127.0.0.1 --host-name profiles.example
              profiles-server --host 192.0.2.7 --port 443 --host-name profiles.example \\
                --tls-certificate chain.pem --tls-key key.pem

            Prints a line when it accepts requests, and logs one line of JSON per request to standard error. SIGTERM \
            or Ctrl-C ends it: requests that have begun are answered within 10 seconds. SIGHUP reads the certificate \
            again.

            Exit codes: 0 ended by a signal, 64 usage, 65 unreadable store, 66 no store, 69 unavailable, 73 cannot \
            create, 74 input or output failed, 75 busy, 77 not permitted, 78 bad configuration.
            """,
        version: ProgramVersion.number)

    @Option(
        help: ArgumentHelp(
            """
            The store's file, or the URI of a PostgreSQL database. \
            (default: $PROFILES_DATABASE, else $XDG_DATA_HOME/profiles/profiles.sqlite)
            """,
            valueName: "path"),
        completion: .file(extensions: ["sqlite", "sqlite3", "db"]))
    var database: String?

    @OptionGroup var options: ServerOptions

    func validate() throws {
        guard database != "" else { throw ValidationError("--database takes the path of a file or a URI.") }
    }

    static func main() async {
        ProcessSettings.apply()
        do {
            var command = try parseAsRoot()
            guard let server = command as? ProfilesServer else { return try command.run() }
            try await server.serve()
        } catch let failure as ServerFailure {
            failure.show()
            Glibc.exit(failure.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    func serve() async throws {
        let level = options.logLevel.level
        LoggingSystem.bootstrap { label in JSONLogHandler(label, level: level) }
        let logger = Logger(label: JSONLogHandler.label)
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)

        let place = try StorePlace(database)
        let certificate = try options.certificateFiles.map(CurrentCertificate.init)
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let repository = try await place.open(repositoryOptions)
        let service = StartedService(listeners: listeners.count) { [options, listeners] ports in
            var serviceOptions = options.serviceOptions(ports: ports)
            serviceOptions.metrics = { metrics.text() }
            serviceOptions.logger = logger
            for (port, listener) in zip(ports, listeners) {
                StandardStream.output.print(options.line(of: listener, on: port))
            }
            logger.notice("started", metadata: ["version": .string(ProgramVersion.number)])
            return ProfileService(repository, serviceOptions)
        }
        let graceTime = GraceTime(repository, logger)
        let group = ServiceGroup(
            configuration: configuration(
                Housekeeping(repository: repository),
                CertificateRereading(certificate: certificate, hangups: hangups, logger: logger),
                Listeners(
                    listeners: listeners, address: options.host, bounds: bounds(logger), certificate: certificate,
                    service: service, logger: logger),
                graceTime))
        do {
            try await group.run()
        } catch {
            await repository.close()
            switch error {
            case let error as ProfileStoreError: throw ServerFailure(error)
            case let error as ServerFailure: throw error
            // If services were cancelled because the grace time was over, this is no failure.
            default:
                guard graceTime.isEnding else {
                    throw ServerFailure(.software, "The service ended without a signal: \(error)")
                }
            }
        }
        await repository.close()
        logger.notice("ended")
    }

    /// The services, in the order in which they start. They end in the reverse order.
    private func configuration(
        _ housekeeping: Housekeeping, _ rereading: CertificateRereading, _ listeners: Listeners, _ graceTime: GraceTime
    ) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            services: [
                // If the store cannot be used any more, requests that have begun are still answered.
                .init(
                    service: housekeeping, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: rereading), .init(service: listeners), .init(service: graceTime),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "services"))
        configuration.maximumGracefulShutdownDuration = GraceTime.limit
        return configuration
    }

    private var repositoryOptions: ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.command = "profiles-server"
        // After this limit, a waiting client is told to try again. The limit is shorter than the grace time, so a
        // request that waits when the service ends is still answered.
        options.waitLimit = GraceTime.limit - .seconds(2)
        options.observer = StoreMetrics().observer
        return options
    }

    private var listeners: [Listeners.Listener] {
        guard let adminPort = options.adminPort else {
            return [Listeners.Listener(port: options.port, audience: .everyone)]
        }
        return [
            Listeners.Listener(port: options.port, audience: .people),
            Listeners.Listener(port: adminPort, audience: .programs),
        ]
    }

    private func bounds(_ logger: Logger) -> ConnectionBounds {
        let fileLimit = ProcessSettings.raiseFileLimit()
        let bounds = options.bounds(fileLimit: fileLimit)
        if bounds.mostConnections < options.mostConnections {
            logger.warning(
                "the limit of open files allows fewer connections than --most-connections",
                metadata: [
                    "files": .stringConvertible(fileLimit), "connections": .stringConvertible(bounds.mostConnections),
                ])
        }
        return bounds
    }
}

extension ServerOptions {
    /// The line that says where a listener accepts requests.
    fileprivate func line(of listener: Listeners.Listener, on port: Int) -> String {
        let whose = listener.audience == .programs ? " of programs" : ""
        let scheme = isEncrypted ? "https" : "http"
        return "profiles-server accepts requests\(whose) at \(scheme)://\(host.authority(port: port))"
    }
}
