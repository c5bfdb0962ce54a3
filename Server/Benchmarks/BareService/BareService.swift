import Glibc
import Hummingbird

/// A Hummingbird application with one route, which answers every request with a constant of some bytes of JSON. It is the
/// yardstick of the service.
///
///     BareService PORT BYTES
@main enum BareService {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]), let size = Int(arguments[2]), size > 1 else {
            throw Failure("usage: BareService PORT BYTES")
        }
        let body = ByteBuffer(string: "\"" + String(repeating: "x", count: size - 2) + "\"")
        let router = Router()
        router.get("/constant") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                print("accepts requests at http://127.0.0.1:\(channel.localAddress?.port ?? port)")
                fflush(nil)
            })
        try await application.run()
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
