import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPBounds

@Suite(.timeLimit(.minutes(5)))
struct ConnectionStateTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private let bounds = ConnectionBounds(lingerLength: 100)
    private var state: ConnectionState

    init() {
        state = ConnectionState(bounds, now: Self.start)
    }

    private func at(_ seconds: Double) -> NIODeadline {
        Self.start + .nanoseconds(Int64(seconds * 1e9))
    }

    private mutating func expectExpiry(
        _ expected: ConnectionState.Expiry, at seconds: Double, waiting: Int = 0, taken: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expiry = state.expired(now: at(seconds), waiting: waiting, taken: taken)
        #expect(expiry == expected, sourceLocation: sourceLocation)
    }

    private mutating func expectAnswer(
        closes: Bool, isLast: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let result = state.answerBegan(closes: closes)
        #expect(result == isLast, sourceLocation: sourceLocation)
    }

    private mutating func expectEnd(
        _ expected: ConnectionState.AnswerEnd, at seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = state.answerEnded(now: at(seconds))
        #expect(end == expected, sourceLocation: sourceLocation)
    }

    private func head(_ fields: [(String, String)] = [], target: String = "/") -> RequestHead {
        let head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: target, headers: HTTPHeaders([("Host", "a")] + fields))
        return RequestHead(head, bounds)
    }

    @Test
    mutating func `A connection without a byte closes when the time for the first head is over`() {
        #expect(state.nextCheck == at(10))
        expectExpiry(.nothing, at: 9.9)
        expectExpiry(.close, at: 10)
    }

    @Test
    mutating func `A head that comes byte by byte is refused, however often bytes come`() {
        for second in 0..<10 { state.received(1, now: at(Double(second))) }
        expectExpiry(.nothing, at: 9.9)
        expectExpiry(.refuse(.timedOut), at: 10)
    }

    @Test
    mutating func `The time for a later head counts from its first byte, and idle time from the answer`() {
        answer(from: 0, to: 1)
        #expect(state.stage == .idle && state.nextCheck == at(61))
        state.received(5, now: at(50))
        #expect(state.nextCheck == at(60))
        expectExpiry(.refuse(.timedOut), at: 60)
    }

    @Test
    mutating func `An idle connection closes quietly`() {
        answer(from: 0, to: 1)
        expectExpiry(.nothing, at: 60.9)
        expectExpiry(.close, at: 61)
    }

    private mutating func answer(from start: Double, to end: Double) {
        state.received(30, now: at(start))
        state.headEnded(head(), now: at(start))
        state.requestEnded()
        expectAnswer(closes: false, isLast: false)
        expectEnd(.nextRequest, at: end)
    }

    @Test
    mutating func `A body that exceeds its total time fails, and the answer is the last`() {
        state.received(30, now: at(0))
        state.headEnded(head([("Content-Length", "9")]), now: at(1))
        for second in 2..<31 { state.received(1, now: at(Double(second))) }
        expectExpiry(.nothing, at: 30.9)
        expectExpiry(.failBody, at: 31)
        state.failBody()
        #expect(state.isDiscarding && !state.isReading)
        expectAnswer(closes: false, isLast: true)
        expectEnd(.lastAnswer, at: 32)
    }

    @Test
    mutating func `The body's time stands still while the application reads nothing`() {
        state.received(30, now: at(0))
        state.headEnded(head([("Content-Length", "9")]), now: at(0))
        state.paused(now: at(10))
        #expect(state.nextCheck == nil)
        expectExpiry(.nothing, at: 100)
        state.resumed(now: at(100))
        #expect(state.nextCheck == at(120))
        expectExpiry(.failBody, at: 120)
    }

    @Test
    mutating func `No time limit runs while the application prepares an answer`() {
        state.received(30, now: at(0))
        state.headEnded(head(), now: at(0))
        state.requestEnded()
        #expect(state.nextCheck == nil)
        expectExpiry(.nothing, at: 1_000)
    }

    @Test
    mutating func `An answer before the end of the body is the last`() {
        state.received(30, now: at(0))
        state.headEnded(head([("Content-Length", "9")]), now: at(0))
        expectAnswer(closes: false, isLast: true)
        // The body may end while the answer is written. The answer has said that it is the last.
        state.requestEnded()
        expectEnd(.lastAnswer, at: 1)
    }

    @Test(arguments: [true, false])
    mutating func `Connection close in the request or in the answer makes the answer the last`(isInRequest: Bool) {
        state.received(30, now: at(0))
        state.headEnded(head(isInRequest ? [("Connection", "close")] : []), now: at(0))
        state.requestEnded()
        expectAnswer(closes: !isInRequest, isLast: true)
        expectEnd(.lastAnswer, at: 1)
        #expect(state.stage == .finishing && state.isDiscarding)
    }

    @Test
    mutating func `After the last answer, input is discarded up to the linger time and the linger length`() {
        state.received(30, now: at(0))
        state.headEnded(head(target: String(repeating: "/", count: 9_000)), now: at(0))
        #expect(state.stage == .answering && state.isInputDropped)
        expectAnswer(closes: false, isLast: true)
        expectEnd(.lastAnswer, at: 1)
        let isTooMuch = state.discarded(60)
        #expect(!isTooMuch)
        state.outputClosed(now: at(5))
        #expect(state.stage == .lingering && state.nextCheck == at(7) && state.mayDiscard)
        let isNowTooMuch = state.discarded(40)
        #expect(isNowTooMuch)
        #expect(!state.mayDiscard)
        expectExpiry(.abort, at: 7)
    }

    @Test
    mutating func `The connection aborts when the client takes no output for the write time`() {
        answer(from: 0, to: 0)
        state.flushed(waiting: 1_000, taken: 500, now: at(1))
        #expect(state.nextCheck == at(3.5))
        expectExpiry(.nothing, at: 3.5, waiting: 1_000, taken: 500)
        expectExpiry(.nothing, at: 6, waiting: 900, taken: 600)
        state.flushed(waiting: 1_900, taken: 600, now: at(7))
        expectExpiry(.nothing, at: 15.9, waiting: 1_900, taken: 600)
        expectExpiry(.abort, at: 18.5, waiting: 1_900, taken: 600)
    }

    @Test
    mutating func `A client that takes a little all the time is not cut off`() {
        answer(from: 0, to: 0)
        state.flushed(waiting: 1_000, taken: 0, now: at(0))
        for step in 1..<20 {
            expectExpiry(.nothing, at: Double(step) * 2.5, waiting: 1_000 - step, taken: step)
        }
        state.flushed(waiting: 0, taken: 1_000, now: at(50))
        #expect(state.nextCheck == at(60))
    }

    @Test
    mutating func `The parser gets no more bytes of a head than the limit`() {
        #expect(state.room == 1024)
        state.received(bounds.headLength - 1, now: at(0))
        #expect(state.room == 1)
        state.received(1, now: at(0))
        #expect(state.room == 0)
    }

    @Test
    mutating func `The parser gets no more than the rest of a body whose length is known`() {
        state.received(30, now: at(0))
        state.headEnded(head([("Content-Length", "100000")]), now: at(0))
        #expect(state.room == 100_000)
        state.bodyContinued(99_000)
        #expect(state.room == 1_000)
    }

    @Test
    mutating func `Idle time begins when the client has taken the answer`() {
        answer(from: 0, to: 0)
        expectExpiry(.nothing, at: 60, waiting: 1)
        #expect(state.nextCheck == at(120))
        expectExpiry(.close, at: 120)
    }
}
