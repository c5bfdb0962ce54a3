internal import CPQ
internal import Platform

/// A session with a server, for one task at a time.
///
/// Commands are sent together and answered in one round trip. A wait for the server keeps no thread. A connection whose
/// answers were not waited for is of no use any more, and its pool closes it.
///
/// `@unchecked Sendable`: the pool takes it out of its list under a mutex and lends it to one task, which gives it back
/// when it is done, so no two threads ever have it at once.
package final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let opening: Opening
    private let notices = Notices()
    /// The statements that this session has prepared, by their SQL.
    private var prepared: [String: PreparedStatement] = [:]
    /// The names of prepared statements that are not used any more, to be deallocated with the next exchange.
    private var unused: [String] = []
    /// What the names of this session's statements begin with. Behind a pooler another client's statement could have the
    /// same name otherwise, and would be run instead.
    private let statementPrefix = "s\(String(UInt64.random(in: 0 ... .max), radix: 36))_"
    /// How many names were given to statements; the server may know each of them.
    private var nameCount = 0
    /// How many statements were run: when each prepared one was last used.
    private var useCount = 0
    /// The most statements that stay prepared. All that this package runs are fewer than a hundred; the others are
    /// queries, whose SQL depends on what is asked for, without bound.
    package static let mostPrepared = 256
    /// When whoever has it waits no longer.
    package var deadline = ContinuousClock.now
    /// Whether a wait ends when the task is cancelled.
    package var mayBeCancelled = true
    /// The server that it is connected to, as its target lists them.
    package let server: Int
    /// Whether answers are missing, so that the next ones would be taken for others.
    private(set) var isBroken = false
    /// Whether the server has gone, does not answer, or takes no writes any more, so that others should be asked.
    private(set) var hasLostItsServer = false

    /// Takes over what libpq has connected.
    init(_ handle: OpaquePointer, to server: Int, _ opening: Opening) {
        self.handle = handle
        self.server = server
        self.opening = opening
        PQsetErrorVerbosity(handle, PQERRORS_TERSE)
        PQsetnonblocking(handle, 1)
        PQenterPipelineMode(handle)
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().add(result)
            }, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { ProcessExit.guarding { PQfinish(handle) } }

    // MARK: Commands

    /// Runs commands one after another, all in one round trip; the first that fails ends them.
    ///
    /// Without a transaction around them they are one of their own.
    /// - Returns: The rows of each.
    @discardableResult
    package func run(_ commands: [Command]) async throws(PostgresError) -> [Rows] {
        try checkThatAnswerIsAwaited()
        return try await exchange(commands)
    }

    /// Runs one command.
    @discardableResult
    package func run(_ sql: String, _ values: Values = []) async throws(PostgresError) -> Rows {
        try await run([Command(sql, values)])[0]
    }

    /// Runs commands of which the last is a `COMMIT`, and questions behind it in the same round trip. Once they are sent,
    /// only the deadline ends the wait.
    ///
    /// - Returns: The rows of the commands, then those of the questions.
    func commit(_ commands: [Command], thenAsking questions: [Command]) async throws(PostgresError) -> [Rows] {
        // Until here nothing was sent, and all is known.
        try checkThatAnswerIsAwaited()
        notices.removeAll()
        let mayBeCancelledBefore = mayBeCancelled
        mayBeCancelled = false
        defer { mayBeCancelled = mayBeCancelledBefore }
        let rows: [Rows]
        let failure: PostgresError?
        do throws(PostgresError) {
            (rows, failure) = try await answers(to: commands + questions)
        } catch {
            switch error {
            case .lost(let reason): throw .outcomeUnknown(reason)
            case .timedOut, .noAnswer: throw .outcomeUnknown("the server did not answer in time")
            case .closed: throw .outcomeUnknown("the store was closed meanwhile")
            default: throw error
            }
        }
        let tag = rows[commands.count - 1].tag
        if let failure, tag != "COMMIT" { throw failure }
        // A cancelled wait for a standby is told as success, with a warning alone.
        if let warning = notices.firstWarning {
            isBroken = true
            throw .outcomeUnknown(warning)
        }
        // A transaction that had failed is rolled back by its COMMIT.
        guard tag == "COMMIT" else {
            throw .refused("25P02", message: "the transaction was rolled back", constraint: nil, sql: "COMMIT")
        }
        // The transaction is committed, and the question about it has no answer.
        if failure != nil { throw .outcomeUnknown("the server did not answer the question behind the COMMIT") }
        return rows
    }

    /// Whether a transaction is open, failed or not.
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// The process that serves the session, by what the server said when it began. Behind a pooler it is another number.
    package var processID: Int64 { Int64(PQbackendPID(handle)) }

    /// What the server says of itself when a session begins, such as `server_version`.
    package func parameter(_ name: String) -> String? {
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    /// Nothing is sent whose answer nobody would wait for.
    private func checkThatAnswerIsAwaited() throws(PostgresError) {
        guard !isBroken else { throw .lost("the connection was given up") }
        guard !mayBeCancelled || !Task.isCancelled else { throw .cancelled }
        guard .now < deadline else { throw .timedOut }
    }

    private func exchange(_ commands: [Command]) async throws(PostgresError) -> [Rows] {
        let (rows, failure) = try await answers(to: commands)
        if let failure { throw failure }
        return rows
    }

    /// Sends commands in one round trip.
    ///
    /// - Returns: What came of each, and the first refusal, which ends those behind it.
    private func answers(
        to commands: [Command]
    ) async throws(PostgresError) -> (rows: [Rows], failure: PostgresError?) {
        // Until all answers are there nothing else can be asked.
        isBroken = true
        var preparing: [String: String] = [:]
        let names = try commands.map { command throws(PostgresError) in try send(command, &preparing) }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        let deallocated = try sendDeallocations(besides: preparing.count)
        try await flush()
        var rows: [Rows] = []
        var failure: PostgresError?
        for (command, new) in zip(commands, names) {
            if let new {
                let answer = try await answer()
                if answer.status == PGRES_COMMAND_OK {
                    prepared[command.sql] = PreparedStatement(name: new, lastUse: useCount)
                }
                failure = failure ?? answer.failure(of: command.sql)
            }
            let answer = try await answer()
            failure = failure ?? answer.failure(of: command.sql)
            rows.append(answer)
        }
        guard try await nextResult()?.status == PGRES_PIPELINE_SYNC else { throw lost() }
        try await receiveDeallocations(deallocated)
        isBroken = false
        if let failure {
            notice(failure)
            // Only another session can lack a statement that this one has prepared.
            if failure.state == .undefinedStatement { throw .sharedSession }
        }
        return (rows, failure)
    }

    /// Draws from a refusal what it means for what comes after it.
    private func notice(_ failure: PostgresError) {
        guard case .refused(let state, _, _, let sql) = failure else { return }
        // A leader that became a standby, or is about to.
        if state == .readOnlyTransaction { hasLostItsServer = true }
        // The tables have changed since it was prepared.
        if state == .featureNotSupported, let former = prepared.removeValue(forKey: sql) { unused.append(former.name) }
    }

    // MARK: Sending

    /// Sends a command, and what prepares it if need be.
    ///
    /// - Returns: The name by which it is being prepared, if it is.
    private func send(_ command: Command, _ preparing: inout [String: String]) throws(PostgresError) -> String? {
        useCount += 1
        var known = preparing[command.sql]
        // Found once, since hashing the SQL costs more than the rest of it.
        if let index = prepared.index(forKey: command.sql) {
            prepared.values[index].lastUse = useCount
            known = prepared.values[index].name
        }
        if let known {
            // libpq keeps what could not be sent yet.
            guard sendExecution(of: known, command.values) else { throw lost() }
            return nil
        }
        let name = "\(statementPrefix)\(nameCount)"
        nameCount += 1
        preparing[command.sql] = name
        guard PQsendPrepare(handle, name, command.sql, 0, nil) == 1, sendExecution(of: name, command.values) else {
            throw lost()
        }
        return name
    }

    /// Sends what deallocates statements that are not used any more, and the least recently used ones where there are too
    /// many. It has a synchronisation point of its own, so that neither fails with the other.
    ///
    /// - Parameter newStatements: How many are about to be prepared.
    /// - Returns: Their names.
    /// - Throws: `lost`.
    private func sendDeallocations(besides newStatements: Int) throws(PostgresError) -> [String] {
        let surplus = prepared.count + newStatements - Self.mostPrepared
        if surplus > 0 {
            for (sql, statement) in prepared.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(surplus) {
                prepared[sql] = nil
                unused.append(statement.name)
            }
        }
        guard !unused.isEmpty else { return [] }
        for name in unused {
            guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        return unused
    }

    /// Receives the answers. A statement that could not be deallocated, as within a transaction that has failed, is tried
    /// again with the next exchange.
    private func receiveDeallocations(_ names: [String]) async throws(PostgresError) {
        guard !names.isEmpty else { return }
        unused = []
        for name in names {
            let answer = try await answer()
            if answer.status == PGRES_COMMAND_OK { continue }
            if case .refused(.undefinedStatement, _, _, _) = answer.failure(of: "DEALLOCATE") { continue }
            unused.append(name)
        }
        guard try await nextResult()?.status == PGRES_PIPELINE_SYNC else { throw lost() }
    }

    private func sendExecution(of name: String, _ values: Values) -> Bool {
        let count = values.ends.count
        return values.bytes.withUnsafeBytes { bytes in
            // What has no bytes needs an address all the same: NULL is what has none.
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: max(1, count)) { pointers in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * max(1, count)) { numbers in
                    let start = bytes.baseAddress ?? UnsafeRawPointer(numbers.baseAddress)
                    var position = 0
                    for (index, end) in values.ends.enumerated() {
                        let address = end == nil ? nil : start.map { $0 + position }
                        pointers.initializeElement(at: index, to: address?.assumingMemoryBound(to: CChar.self))
                        numbers.initializeElement(at: index, to: end.map { Int32($0 - position) } ?? 0)
                        // All are in the binary form.
                        numbers.initializeElement(at: count + index, to: 1)
                        position = end ?? position
                    }
                    return PQsendQueryPrepared(
                        handle, name, Int32(count), pointers.baseAddress, numbers.baseAddress,
                        numbers.baseAddress.map { $0 + count }, 1) == 1
                }
            }
        }
    }

    private func flush() async throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try await wait(orToWrite: true)
                // The server may wait for us to read before it reads on.
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    // MARK: Receiving

    /// The answer to one command, or to its preparation.
    private func answer() async throws(PostgresError) -> Rows {
        guard let rows = try await nextResult() else { throw lost() }
        // Nothing comes after it but the mark of its end.
        guard try await nextResult() == nil else { throw lost() }
        return rows
    }

    private func nextResult() async throws(PostgresError) -> Rows? {
        while PQisBusy(handle) != 0 {
            try await wait(orToWrite: false)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        guard let result = PQgetResult(handle) else { return nil }
        let rows = Rows(result)
        if PQstatus(handle) == CONNECTION_BAD { throw lost() }
        return rows
    }

    private func wait(orToWrite: Bool) async throws(PostgresError) {
        // libpq has closed the socket of a connection that it knows to be lost.
        let socket = PQsocket(handle)
        guard socket >= 0 else { throw lost() }
        var now = ContinuousClock.now
        var patience = min(Self.patience, (deadline - now) / 2)
        var isAlive = false
        while true {
            switch await opening.loop.wait(
                for: socket, orToWrite: orToWrite, until: min(deadline, now + patience), mayBeCancelled: mayBeCancelled)
            {
            case .ready: return
            case .cancelled: throw .cancelled
            case .closed: throw .closed
            case .timedOut: break
            }
            guard .now < deadline else {
                if isAlive { throw .timedOut }
                hasLostItsServer = true
                throw .noAnswer(server: opening.list.servers[server].description)
            }
            isAlive = await serverAnswers()
            if hasUnreadInput { return }
            if !isAlive, opening.list.servers.count > 1 {
                // Another one may lead by now, or will before the deadline.
                hasLostItsServer = true
                throw .lost("\(opening.list.servers[server].description) does not answer")
            }
            patience = min(patience * 2, Self.longestPatience)
            now = .now
        }
    }

    /// Whether the server is alive, though it does not answer this session: it may wait for a lock, or work for long.
    private func serverAnswers() async -> Bool {
        let limit = min(deadline, .now + Self.patience * 2)
        // A task of its own is not cancelled with the one that waits for a COMMIT.
        return await Task { [opening, server] in await opening.isAnswered(by: server, until: limit) }.value
    }

    /// How long a server may be silent before it is asked, by another connection, whether it is alive. Each time it is, it
    /// may be silent twice as long.
    private static let patience = Duration.seconds(2)
    private static let longestPatience = Duration.seconds(60)

    /// The connection is gone; by libpq's words, of which the first line says what happened.
    private func lost() -> PostgresError {
        hasLostItsServer = true
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return .lost(message.split(whereSeparator: \.isNewline).first.map(String.init) ?? "")
    }

    /// Whether the server has said something that nobody asked for: mostly that it ends the session.
    var hasUnreadInput: Bool {
        var byte: UInt8 = 0
        let count = recv(PQsocket(handle), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EINTR)
    }

    // MARK: Copying

    /// Sends what `next` gives to a `COPY … FROM STDIN`, until that is nil.
    ///
    /// - Returns: How many rows were copied.
    package func copyIn(_ sql: String, _ next: () async throws -> [UInt8]?) async throws -> Int {
        try checkThatAnswerIsAwaited()
        isBroken = true
        // libpq copies only outside of pipelines.
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { throw lost() }
        try await flush()
        guard let begun = try await nextResult() else { throw lost() }
        var problem: (any Error)?
        if begun.status == PGRES_COPY_IN {
            do {
                while let bytes = try await next() { try await copy(bytes) }
            } catch let error as PostgresError {
                throw error
            } catch {
                problem = error
            }
            try await endCopy(problem == nil ? nil : "what was to be copied cannot be had")
        }
        var last = begun
        while let rows = try await nextResult() {
            if rows.status == PGRES_FATAL_ERROR || last.status == PGRES_COPY_IN { last = rows }
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        isBroken = false
        if let problem { throw problem }
        if let failure = last.failure(of: sql) { throw failure }
        return last.affectedCount
    }

    private func copy(_ bytes: [UInt8]) async throws(PostgresError) {
        // A server that reads as fast as we write is never waited for.
        if mayBeCancelled, Task.isCancelled { throw .cancelled }
        guard .now < deadline else { throw .timedOut }
        while true {
            let outcome = bytes.withUnsafeBytes {
                PQputCopyData(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
            }
            if outcome == 1 { break }
            guard outcome == 0 else { throw lost() }
            try await wait(orToWrite: true)
        }
        try await flush()
    }

    private func endCopy(_ problem: String?) async throws(PostgresError) {
        while true {
            let outcome = PQputCopyEnd(handle, problem)
            if outcome == 1 { break }
            guard outcome == 0 else { throw lost() }
            try await wait(orToWrite: true)
        }
        try await flush()
    }
}

extension Rows {
    /// Why a command was not done; nil where it was, or where another one before it was not.
    fileprivate func failure(of sql: String) -> PostgresError? {
        status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE ? error(sql: sql) : nil
    }
}

/// A statement that a session has prepared.
private struct PreparedStatement {
    let name: String
    /// How many statements had been run by then.
    var lastUse: Int
}

/// What a server says besides its answers.
private final class Notices {
    private(set) var firstWarning: String?

    func removeAll() { firstWarning = nil }

    func add(_ result: OpaquePointer?) {
        guard firstWarning == nil, let result else { return }
        // `V` is the severity, never translated, and `M` below the words.
        let severity = PQresultErrorField(result, 86).map { String(cString: $0) }
        guard severity == "WARNING" else { return }
        firstWarning = PQresultErrorField(result, 77).map { String(cString: $0) } ?? ""
    }
}
