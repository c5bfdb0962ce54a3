public import HTTPBounds
public import Logging

/// How clients reach a service, and what the service allows.
public struct ServiceOptions: Sendable {
    /// The names under which clients reach the service, with the port if it is not the usual one: `profiles.example`,
    /// `127.0.0.1:8080`. A request with another `Host` gets 421, so that a web page cannot reach the service under a
    /// name of its own (DNS rebinding).
    public var hosts: [String]
    /// How requests are encrypted on their way.
    public var transport: Transport = .plain
    /// The web origins, such as `https://app.example`, whose pages may call the service with a token. These pages
    /// cannot use the cookies of the service.
    public var allowedOrigins: [String] = []
    /// Whether people may register without an invitation.
    public var opensRegistration = false
    /// The maximum size of a request's body, in bytes.
    public var bodyLimit = 64 * 1024
    /// The maximum number of failed logins, failed resets and all registrations from one address within a minute.
    /// Further requests to these routes get 429.
    public var attemptsOfAddress = 10
    /// The maximum number of concurrent searches without an index. Further searches get 503.
    public var scanLimit = 2
    /// The maximum duration of a search without an index.
    public var scanTime = Duration.seconds(10)
    /// The maximum number of profiles of a page.
    public var pageLimit = 1_000
    /// Returns the metrics in the text format of Prometheus; nil if the service has no metrics.
    public var metrics: (@Sendable () -> String)?
    /// Where requests are logged.
    public var logger = Logger(label: "profiles-server")

    /// How requests are encrypted on their way.
    public enum Transport: Sendable {
        /// Not at all: for the machine's own programs and browsers, on a loopback address.
        case plain
        /// The service has a certificate of its own.
        case encrypted
        /// A proxy has the certificate. From the proxies in these ranges, and from no other address, the headers
        /// `X-Forwarded-For` and `X-Forwarded-Proto` count.
        case behindProxy([AddressRange])
    }

    /// Makes the options of a service that clients reach under these names.
    public init(hosts: [String]) { self.hosts = hosts }
}
