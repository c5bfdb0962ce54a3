internal import CPQ
internal import Platform

/// A session with a server. One task at a time uses it.
///
/// It sends several commands together and receives their answers in one round trip. While a task waits for the server,
/// it blocks no thread. If a caller stops waiting for an answer, the connection can no longer be used, and its pool
/// closes it.
///
/// `@unchecked Sendable`: no two threads use the connection at the same time. While the pool holds its mutex, it
/// removes the connection from its list. Then it lends the connection to one task. The task returns the connection
/// after use.
package final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let opening: Opening
    private let notices = Notices()
    /// The prepared statements of this session, keyed by their SQL.
    private var prepared: [String: PreparedStatement] = [:]
    /// The names of prepared statements that are no longer used. The next exchange deallocates them.
    private var unused: [String] = []
    /// The prefix of this session's statement names. Several clients of a pooler may share a session. Without the
    /// prefix, the name could belong to another client's statement, and that statement would run instead.
    private let statementPrefix = "s\(String(UInt64.random(in: 0 ... .max), radix: 36))_"
    /// The number of names given to statements so far. A name is never reused, because the server may still have a
    /// statement with this name.
    private var nameCount = 0
    /// The number of statements run so far. When a statement is used, it stores this number. So the least recently
    /// used statement has the smallest number.
    private var useCount = 0
    /// The maximum number of prepared statements. This package has fewer than a hundred fixed statements. All other
    /// statements are queries, and their SQL depends on the caller's conditions.
    package static let mostPrepared = 256
    /// The deadline for all waits of the task that currently uses the connection.
    package var deadline = ContinuousClock.now
    /// Whether a wait ends when the task is cancelled.
    package var mayBeCancelled = true
    /// The index of the connected server in the server list.
    package let server: Int
    /// Whether the connection must not be used for another command. True while the server still has to send answers,
    /// because a later command would receive these answers instead of its own. Also true after ``discard()``, and after
    /// a `COMMIT` for which the server reported a warning.
    private(set) var isBroken = false

    /// After this call, the pool does not lend the connection again, because the settings of the session may have
    /// changed.
    package func discard() { isBroken = true }
    /// Whether the server was lost, does not answer, or no longer accepts writes. If so, the pool tries other servers.
    private(set) var hasLostItsServer = false

    /// Takes ownership of a connection that libpq opened.
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

    /// Runs commands in order, in one round trip. If a command fails, the server skips the commands after it.
    ///
    /// If no transaction is open, the commands form a transaction of their own.
    /// - Returns: The rows of each command.
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

    /// Runs commands and then queries, all in one round trip. The last command is a `COMMIT`. After the commands are
    /// sent, a cancellation has no effect: the wait ends when the answers arrive, or at the deadline.
    ///
    /// - Returns: The rows of the commands, followed by the rows of the queries.
    func commit(_ commands: [Command], thenAsking questions: [Command]) async throws(PostgresError) -> [Rows] {
        // If this check fails, nothing was written, because nothing has been sent yet.
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
        // If a wait for a standby is cancelled, the server reports success with a warning.
        if let warning = notices.firstWarning {
            isBroken = true
            throw .outcomeUnknown(warning)
        }
        // If a transaction has failed, COMMIT rolls it back.
        guard tag == "COMMIT" else {
            throw .refused("25P02", message: "the transaction was rolled back", constraint: nil, sql: "COMMIT")
        }
        // The transaction is committed, but the query about its durability failed.
        if failure != nil { throw .outcomeUnknown("the server did not answer the query after the COMMIT") }
        return rows
    }

    /// Whether a transaction is open, including a failed one.
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// The process ID that the server reported for this session at startup. If the client is connected to a pooler,
    /// another process may run the session.
    package var processID: Int64 { Int64(PQbackendPID(handle)) }

    /// Returns a parameter that the server reported at startup, such as `server_version`.
    package func parameter(_ name: String) -> String? {
        PQparameterStatus(handle, name).map { String(cString: $0) }
    }

    /// Throws an error if the connection is broken, or if the caller no longer waits for an answer. Callers check this
    /// before they send a command.
    private func checkThatAnswerIsAwaited() throws(PostgresError) {
        guard !isBroken else { throw .lost("the connection is no longer usable") }
        guard !mayBeCancelled || !Task.isCancelled else { throw .cancelled }
        guard .now < deadline else { throw .timedOut }
    }

    private func exchange(_ commands: [Command]) async throws(PostgresError) -> [Rows] {
        let (rows, failure) = try await answers(to: commands)
        if let failure { throw failure }
        return rows
    }

    /// Sends commands in one round trip and receives their answers.
    ///
    /// - Returns: The result of each command, and the first failure if a command failed. The server skips the commands
    ///   after a failed command.
    private func answers(
        to commands: [Command]
    ) async throws(PostgresError) -> (rows: [Rows], failure: PostgresError?) {
        // No other command can be sent until all answers have arrived.
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
            // This connection has prepared the statement. If the server does not know the statement, the connection now
            // uses a different session of the server.
            if failure.state == .undefinedStatement { throw .sharedSession }
        }
        return (rows, failure)
    }

    /// Updates the state of the connection after a failure.
    private func notice(_ failure: PostgresError) {
        guard case .refused(let state, _, _, let sql) = failure else { return }
        // The leader became a standby, or will soon become one.
        if state == .readOnlyTransaction { hasLostItsServer = true }
        // The tables have changed since the statement was prepared.
        if state == .featureNotSupported, let former = prepared.removeValue(forKey: sql) { unused.append(former.name) }
    }

    // MARK: Sending

    /// Sends a command, and prepares it first if necessary.
    ///
    /// - Returns: The name of the statement if this call prepares it. Nil if it was prepared before.
    private func send(_ command: Command, _ preparing: inout [String: String]) throws(PostgresError) -> String? {
        useCount += 1
        var known = preparing[command.sql]
        // The SQL is looked up only once, because hashing it costs more than the rest of this function.
        if let index = prepared.index(forKey: command.sql) {
            prepared.values[index].lastUse = useCount
            known = prepared.values[index].name
        }
        if let known {
            // If the socket does not accept all bytes, libpq buffers the rest.
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

    /// Deallocates all unused statements. If the cache exceeds its limit, also deallocates the least recently used
    /// statements. The deallocations have their own synchronization point. So a failed command does not affect the
    /// deallocations, and a failed deallocation does not affect other commands.
    ///
    /// - Parameter newStatements: The number of statements that are about to be prepared.
    /// - Returns: The names of the deallocated statements.
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

    /// Receives the answers to the deallocations. If a deallocation fails, for example in a failed transaction, the
    /// next exchange repeats it.
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
            // libpq reads a null pointer as NULL, so an empty value needs a non-null address.
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: max(1, count)) { pointers in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * max(1, count)) { numbers in
                    let start = bytes.baseAddress ?? UnsafeRawPointer(numbers.baseAddress)
                    var position = 0
                    for (index, end) in values.ends.enumerated() {
                        let address = end == nil ? nil : start.map { $0 + position }
                        pointers.initializeElement(at: index, to: address?.assumingMemoryBound(to: CChar.self))
                        numbers.initializeElement(at: index, to: end.map { Int32($0 - position) } ?? 0)
                        // All parameters are in binary format.
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
                // The server may stop reading until this client has read the answers of the server.
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    // MARK: Receiving

    /// Receives the answer to one command, or to the preparation of a statement.
    private func answer() async throws(PostgresError) -> Rows {
        guard let rows = try await nextResult() else { throw lost() }
        // A null result marks the end of the answer.
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
        // If libpq knows that a connection is lost, it has closed the socket.
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
                // Another server may already be the leader, or become the leader before the deadline.
                hasLostItsServer = true
                throw .lost("\(opening.list.servers[server].description) does not answer")
            }
            patience = min(patience * 2, Self.longestPatience)
            now = .now
        }
    }

    /// Returns whether the server is alive. Even if the server is alive, this session may get no answer, because its
    /// query is slow or waits for a lock.
    private func serverAnswers() async -> Bool {
        let limit = min(deadline, .now + Self.patience * 2)
        // This separate task is not cancelled together with the task that waits for a COMMIT.
        return await Task { [opening, server] in await opening.isAnswered(by: server, until: limit) }.value
    }

    /// If a server sends nothing during this time, another connection checks whether the server is alive. After each
    /// check, the time is doubled, up to `longestPatience`.
    private static let patience = Duration.seconds(2)
    private static let longestPatience = Duration.seconds(60)

    /// Marks the server as lost. Returns an error with the first line of libpq's message.
    private func lost() -> PostgresError {
        hasLostItsServer = true
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return .lost(message.split(whereSeparator: \.isNewline).first.map(String.init) ?? "")
    }

    /// Whether the socket has unread data, is closed or has failed. If no command waits for an answer, this usually
    /// means that the server has ended the session.
    var hasUnreadInput: Bool {
        var byte: UInt8 = 0
        let count = recv(PQsocket(handle), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EINTR)
    }

    // MARK: Copying

    /// Runs a `COPY … FROM STDIN`. Sends each chunk that `next` returns, until `next` returns nil.
    ///
    /// - Returns: The number of copied rows.
    package func copyIn(_ sql: String, _ next: () async throws -> [UInt8]?) async throws -> Int {
        try checkThatAnswerIsAwaited()
        isBroken = true
        // libpq supports COPY only outside pipeline mode.
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
            try await endCopy(problem == nil ? nil : "the client could not read the data to copy")
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
        // If the server reads as fast as this client writes, this function never waits. So the function itself checks
        // for a cancellation and for the deadline.
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
    /// The error of a failed command. Nil if the command succeeded, or was skipped because an earlier command failed.
    fileprivate func failure(of sql: String) -> PostgresError? {
        status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE ? error(sql: sql) : nil
    }
}

/// A prepared statement of a session.
private struct PreparedStatement {
    let name: String
    /// The value of `useCount` when the statement was last used.
    var lastUse: Int
}

/// The notices and warnings that a server sends in addition to its answers.
private final class Notices {
    private(set) var firstWarning: String?

    func removeAll() { firstWarning = nil }

    func add(_ result: OpaquePointer?) {
        guard firstWarning == nil, let result else { return }
        // 86 is `V`, the severity. The server never translates it. 77 below is `M`, the message.
        let severity = PQresultErrorField(result, 86).map { String(cString: $0) }
        guard severity == "WARNING" else { return }
        firstWarning = PQresultErrorField(result, 77).map { String(cString: $0) } ?? ""
    }
}
