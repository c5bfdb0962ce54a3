#if TestHooks
    internal import FlyingFox
    internal import FlyingSocks
    // The library FlyingFox expects a body as a value of the type `Data`.
    internal import FoundationEssentials
    internal import ProfileCore

    /// Passes HTTP requests to a ``ControlService``, over a Unix socket in a private folder (T4).
    ///
    /// Only a build with the trait `TestHooks` contains this class. The server logs nothing.
    package final class ControlServer: Sendable {
        private let folder: ControlFolder
        private let server: HTTPServer
        private let run: Task<Void, any Error>

        /// Starts to listen. Then writes the token file. Clients that can read the folder get the token from this file.
        ///
        /// - Parameters:
        ///   - folder: The folder for the socket.
        ///   - token: The token that clients must send.
        ///   - service: The service that answers requests.
        /// - Throws: ``SystemError`` if the folder is not usable, or the error of the socket.
        package init(in folder: ControlFolder, token: String, _ service: ControlService) async throws {
            try folder.prepare()
            self.folder = folder
            // The timeout is longer than a minute, because a request may wait for a minute.
            let server = HTTPServer(
                address: .unix(path: folder.socketPath), timeout: 90, logger: .disabled,
                handler: ClosureHTTPHandler { await Self.answer(to: $0, service) })
            self.server = server
            run = Task { try await server.run() }
            try await server.waitUntilListening(timeout: 10)
            try folder.publish(token: token)
        }

        /// Stops listening. Waits until the requests in progress are answered, but at most one second.
        package func stop() async {
            folder.remove()
            await server.stop(timeout: 1)
            run.cancel()
        }

        private static func answer(to request: HTTPRequest, _ service: ControlService) async -> HTTPResponse {
            let answer: ControlService.Answer
            do {
                let request = ControlService.Request(
                    method: request.method.rawValue, path: request.path,
                    authorization: request.headers[.authorization], body: try await body(of: request))
                answer = await service.answer(to: request)
            } catch let problem as ControlProblem {
                answer = ControlService.Answer(problem)
            } catch {
                answer = ControlService.Answer(.badRequest("The body cannot be read"))
            }
            let isProblem = answer.status >= 400
            let bytes = Array(answer.body.text(indented: true).utf8)
            return HTTPResponse(
                statusCode: HTTPStatusCode(answer.status, phrase: isProblem ? "Problem" : "OK"),
                headers: [.contentType: isProblem ? "application/problem+json" : "application/json"],
                body: HTTPBodySequence(data: Data(bytes)))
        }

        private static func body(of request: HTTPRequest) async throws -> [UInt8] {
            var body: [UInt8] = []
            for try await chunk in request.bodySequence {
                body += chunk
                if body.count > ControlService.bodyLimit { throw ControlProblem.tooLarge }
            }
            return body
        }
    }
#endif
