internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ProfileCore
internal import ProfileServer
internal import ProfileStore
internal import ProfileStoreSQLite

/// An example of a service that has two routes of ProfileServer beside its own routes, in one process with the store.
///
/// It serves greetings. People log in by a route of ProfileServer, and the greeting finds their profile by the same
/// session. A change that another process makes is seen at once.
@main
struct EmbeddedService {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let path = arguments.first, let port = arguments.last.flatMap(Int.init) else {
            print("usage: EmbeddedService DATABASE PORT")
            return
        }
        var options = ProfileRepository.Options()
        options.createsMissing = true
        let repository = try await ProfileRepository.open(at: path, options: options)
        let counter = ChangeCounter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await repository.run() }
            group.addTask { try await counter.follow(repository.changes) }
            try await application(repository, counter, port).runService()
            group.cancelAll()
        }
        await repository.close()
    }

    private static func application(
        _ repository: ProfileRepository, _ counter: ChangeCounter, _ port: Int
    ) -> some ApplicationProtocol {
        // The service has two routes of ProfileServer. Its options contain the host name that clients use.
        let service = ProfileService(
            repository, ServiceOptions(hosts: ["127.0.0.1:\(port)"]), routes: [.logIn, .getOwnProfile])
        let router = Router(context: ServiceContext.self)
        router.add(middleware: ProfileRoutes(service))

        // A route of this example, for a person who has a session.
        router.get("greeting") { request, _ in
            guard let field = request.headers[.authorization], field.hasPrefix("Bearer "),
                case .session(let session)? = try await repository.bearer(Secret(String(field.dropFirst(7)))),
                let profile = try await repository.profile(id: session.profileID)
            else { return Response(status: .unauthorized) }
            return text("Hello \(profile.username)! Your profile has the revision \(profile.revision).\n")
        }
        router.get("changes") { _, _ in text("\(await counter.changes)\n") }

        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in
                print("EmbeddedService accepts requests at http://127.0.0.1:\(port)")
                fflush(nil)
            },
            logger: Logger(label: "EmbeddedService"))
    }

    private static func text(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Counts the changes of the store, whichever process makes them.
actor ChangeCounter {
    private(set) var changes = 0

    func follow(_ stream: ProfileRepository.Changes) async throws {
        for try await _ in await stream.stream() { changes += 1 }
    }
}
