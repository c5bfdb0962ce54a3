import Platform
import Synchronization
import Testing
import Threads

/// Speaks PostgreSQL's protocol on loopback as far as a test needs it. It behaves in ways that a real server cannot be
/// made to.
///
/// It answers a batch only when the whole batch has arrived. So a client that waits for an answer in the middle of a
/// batch waits for ever.
final class FakeServer: Sendable {
    /// What the server does with a new connection.
    enum Greeting: Sendable {
        case welcome
        /// Accepts the client as a server that takes no writes.
        case readOnly
        /// Refuses the client with a code such as `57P03`.
        case refusal(String)
        /// Closes the connection at once.
        case nothing
        /// Reads, and never answers.
        case silence
    }

    /// What it does when a statement is to be executed.
    enum Reaction: Sendable {
        /// Answers with a tag such as `COMMIT`.
        case tag(String)
        case refusal(String)
        case warning(String, tag: String)
        /// Closes the connection, without an answer.
        case hangUp
        /// Never answers again.
        case silence
    }

    let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>
    private let react: @Sendable (_ sql: String) -> Reaction

    private struct State {
        var greeting: Greeting
        var connectionCount = 0
        var openCount = 0
        var batchCount = 0
        var prepared: [String] = []
    }

    init(_ greeting: Greeting = .welcome, _ react: @escaping @Sendable (String) -> Reaction = { .tag($0) }) throws {
        (listener, port) = try Self.listeningSocket()
        state = Mutex(State(greeting: greeting))
        self.react = react
        let listener = listener
        _ = try SystemThread(blockingSignals: true) { [weak self] in
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                guard let self else {
                    close(socket)
                    break
                }
                self.begin(socket)
            }
            close(listener)
        }
    }

    /// Ends the thread that accepts, which closes the socket.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var uri: String { "postgresql://app@127.0.0.1:\(port)/profiles" }
    /// How many connections were begun, and how many of them are open.
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    var openCount: Int { state.withLock { $0.openCount } }
    /// How many batches came, each in one round trip.
    var batchCount: Int { state.withLock { $0.batchCount } }
    /// The statements that were prepared.
    var prepared: [String] { state.withLock { $0.prepared } }

    func greet(with greeting: Greeting) { state.withLock { $0.greeting = greeting } }

    /// A socket that listens on loopback. The system accepts connections for it, and no program answers on them.
    static func listeningSocket() throws -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try boundSocket()
        try #require(listen(descriptor, 128) == 0)
        return (descriptor, port)
    }

    /// A socket that does not listen: its port refuses connections.
    static func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(code == 0)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    // MARK: A connection

    private func begin(_ socket: Int32) {
        let greeting = state.withLock { state in
            state.connectionCount += 1
            state.openCount += 1
            return state.greeting
        }
        _ = try? SystemThread(blockingSignals: true) {
            self.serve(Wire(socket), greeting)
            self.state.withLock { $0.openCount -= 1 }
            close(socket)
        }
    }

    private func serve(_ wire: Wire, _ greeting: Greeting) {
        if case .nothing = greeting { return }
        guard wire.readStartup() else { return }
        switch greeting {
        case .welcome, .readOnly: break
        case .refusal(let code):
            wire.write(Wire.problem("E", "FATAL", code))
            return
        case .nothing, .silence:
            while wire.readMessage() != nil {}
            return
        }
        let isReadOnly = if case .readOnly = greeting { "on" } else { "off" }
        var welcome = Wire.message("R", [0, 0, 0, 0])
        for (name, value) in [
            ("server_version", "15.0"), ("client_encoding", "UTF8"), ("default_transaction_read_only", isReadOnly),
            ("in_hot_standby", "off"),
        ] { welcome += Wire.message("S", Wire.text(name) + Wire.text(value)) }
        wire.write(welcome + Wire.message("Z", Array("I".utf8)))

        var statements: [String: String] = [:]
        var current = ""
        var answers: [UInt8] = []
        var skips = false
        while let (type, body) = wire.readMessage() {
            let parts = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            switch type {
            case "P" where !skips:
                let (name, sql) = (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
                statements[name] = sql
                state.withLock { $0.prepared.append(sql) }
                answers += Wire.message("1", [])
            case "B" where !skips:
                current = statements[String(decoding: parts[1], as: UTF8.self)] ?? ""
                answers += Wire.message("2", [])
            case "D" where !skips: answers += Wire.message("n", [])
            case "E" where !skips:
                switch react(current) {
                case .tag(let tag): answers += Wire.message("C", Wire.text(tag))
                case .refusal(let code):
                    answers += Wire.problem("E", "ERROR", code)
                    skips = true
                case .warning(let words, let tag):
                    answers += Wire.problem("N", "WARNING", "01000", words) + Wire.message("C", Wire.text(tag))
                case .hangUp: return
                case .silence:
                    while wire.readMessage() != nil {}
                    return
                }
            case "S":
                state.withLock { $0.batchCount += 1 }
                wire.write(answers + Wire.message("Z", Array("I".utf8)))
                answers = []
                skips = false
            case "X": return
            default: break
            }
        }
    }
}

/// The protocol's messages on a socket, which blocks.
private struct Wire {
    private let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        [type.asciiValue ?? 0] + withUnsafeBytes(of: Int32(body.count + 4).bigEndian, Array.init) + body
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    /// An error or a notice.
    static func problem(_ type: Character, _ severity: String, _ code: String, _ words: String = "no") -> [UInt8] {
        message(type, text("S" + severity) + text("V" + severity) + text("C" + code) + text("M" + words) + [0])
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads the startup message, and declines requests for encryption.
    func readStartup() -> Bool {
        while let head = read(8) {
            let code = number(head[4...])
            guard code == 80_877_103 || code == 80_877_104 else { return read(number(head[..<4]) - 8) != nil }
            write(Array("N".utf8))
        }
        return false
    }

    func readMessage() -> (Character, [UInt8])? {
        guard let head = read(5), let body = read(number(head[1...]) - 4) else { return nil }
        return (Character(Unicode.Scalar(head[0])), body)
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
                return recv(socket, rest.baseAddress, rest.count, 0)
            }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }
}
