import PostgresProxy
import ProfileTesting
import Synchronization
import Threads

/// Answers correct messages as a PostgreSQL server does. Every command succeeds, except that `fail` fails. `copy` waits
/// for data. The server records the messages that it got.
final class FakeServer: Sendable {
    let port: UInt16
    private let log: Log
    private let threads = Mutex<[SystemThread]>([])

    final class Log: Sendable {
        struct State {
            /// The type of each message, with the SQL of queries and statements, by connection.
            var received: [[String]] = []
            /// How many of them were answered, by connection.
            var answeredCounts: [Int] = []
            var endedCount = 0
            var isEnding = false
        }

        let state = Mutex(State())
    }

    /// Starts the server. Its answer to `rows` has about this many bytes.
    init(rowBytes: Int = 0) throws {
        let listener = try LoopbackSocket.listening()
        port = try listener.port()
        let log = Log()
        self.log = log
        let accepting = try SystemThread(blockingSignals: true) {
            var threads: [SystemThread] = []
            while !log.state.withLock(\.isEnding) {
                guard listener.waits(atMost: .milliseconds(20)), let client = listener.accept() else { continue }
                let number = log.state.withLock { state in
                    state.received.append([])
                    state.answeredCounts.append(0)
                    return state.received.count - 1
                }
                let thread = try? SystemThread(blockingSignals: true) {
                    var conversation = Conversation(number: number, client, log, rowBytes: rowBytes)
                    conversation.run()
                }
                if let thread { threads.append(thread) }
            }
            for thread in threads { thread.join() }
        }
        threads.withLock { $0.append(accepting) }
    }

    deinit {
        log.state.withLock { $0.isEnding = true }
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    func received(_ connection: Int = 0) -> [String] {
        log.state.withLock { connection < $0.received.count ? $0.received[connection] : [] }
    }

    /// How many messages of a connection were taken, and answered where they have an answer.
    func answeredCount(_ connection: Int = 0) -> Int {
        log.state.withLock { connection < $0.answeredCounts.count ? $0.answeredCounts[connection] : 0 }
    }

    /// How many connections have ended.
    var endedCount: Int { log.state.withLock(\.endedCount) }
}

/// What the server says on one connection.
private struct Conversation {
    private let number: Int
    private let client: LoopbackSocket
    private let log: FakeServer.Log
    private let rowBytes: Int
    private var bytes: [UInt8] = []
    private var answer: [UInt8] = []
    private var statements: [String: String] = [:]
    private var portals: [String: String] = [:]
    private var isPassingOver = false
    private var isCopying = false

    init(number: Int, _ client: LoopbackSocket, _ log: FakeServer.Log, rowBytes: Int) {
        self.number = number
        self.client = client
        self.log = log
        self.rowBytes = rowBytes
    }

    mutating func run() {
        var isGreeted = false
        while !log.state.withLock(\.isEnding) {
            guard client.waits(atMost: .milliseconds(20)), let more = client.read() else { continue }
            if more.isEmpty { break }
            bytes += more
            while let (type, body) = next(isTyped: isGreeted) {
                if isGreeted {
                    take(type, body)
                } else {
                    isGreeted = true
                    note(body.starts(with: [0, 3, 0, 0]) ? "startup" : "request")
                    answer += .message("R", .number(0)) + .message("Z", [73])
                }
                while !answer.isEmpty, !log.state.withLock(\.isEnding) { answer.removeFirst(client.write(answer)) }
                log.state.withLock { $0.answeredCounts[number] += 1 }
            }
        }
        log.state.withLock { $0.endedCount += 1 }
    }

    private mutating func next(isTyped: Bool) -> (UInt8, [UInt8])? {
        let header = isTyped ? 5 : 4
        guard bytes.count >= header else { return nil }
        let length = bytes[(header - 4)..<header].reduce(0) { $0 << 8 | Int($1) }
        let end = header + length - 4
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return (bytes[0], Array(bytes[header..<end]))
    }

    private func note(_ text: String) { log.state.withLock { $0.received[number].append(text) } }

    private mutating func take(_ type: UInt8, _ body: [UInt8]) {
        let name = String(decoding: [type], as: UTF8.self)
        let texts = body.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        note(["Q", "P"].contains(name) ? "\(name) \(texts[name == "Q" ? 0 : 1])" : name)
        guard !isPassingOver || name == "S" else { return }
        switch name {
        case "Q":
            complete(texts[0])
            answer += .message("Z", [73])
        case "P":
            statements[texts[0]] = texts[1]
            answer += .message("1")
        case "B":
            portals[texts[0]] = statements[texts[1]]
            answer += .message("2")
        case "E": complete(portals[texts[0]] ?? "")
        case "S" where !isCopying:
            isPassingOver = false
            answer += .message("Z", [73])
        case "c":
            isCopying = false
            answer += .message("C", .text("COPY"))
        default: break
        }
    }

    private mutating func complete(_ sql: String) {
        if sql == "fail" {
            answer += .message("E", [0])
            isPassingOver = true
        } else if sql == "copy" {
            isCopying = true
            answer += .message("G", [0, 0, 0])
        } else {
            if sql == "rows" {
                for _ in 0..<(rowBytes / 1000) { answer += .message("D", [UInt8](repeating: 7, count: 1000)) }
            }
            answer += .message("C", .text(sql.uppercased()))
        }
    }
}
