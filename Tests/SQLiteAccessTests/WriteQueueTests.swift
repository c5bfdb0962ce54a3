@testable import SQLiteAccess
import Testing
import Watchdog

/// The order of the jobs, and its cost in time and memory.
@Suite(.watched) struct WriteQueueTests {
    private func job(_ ticket: Int, within limit: Duration = .seconds(600), shares: Bool = false) -> WriteJob {
        WriteJob(
            ticket: ticket, wait: WaitLimit(limit), sharesTransaction: shares, body: { _ in {} }, fail: { _ in })
    }

    private func fill(_ queue: inout WriteQueue, _ count: Int) -> [Int] {
        (0..<count).map { _ in
            let ticket = queue.nextTicket()
            guard case .queued = queue.enqueue(job(ticket)) else { return -1 }
            return ticket
        }
    }

    @Test func `jobs are taken in the order of their arrival, without the jobs that were removed`() {
        var queue = WriteQueue()
        let early = queue.nextTicket()
        let tickets = fill(&queue, 300)
        // This job has the first ticket, but arrives last.
        _ = queue.enqueue(job(early))
        for ticket in tickets where ticket % 3 == 0 { #expect(queue.remove(ticket)?.ticket == ticket) }
        #expect(queue.remove(3) == nil)
        var taken: [Int] = []
        while let job = queue.takeFirst() { taken.append(job.ticket) }
        #expect(taken == tickets.filter { $0 % 3 != 0 } + [early])
    }

    @Test func `H9: a job that shares a transaction does not overtake an earlier job`() {
        var queue = WriteQueue()
        for shares in [true, true, true, false, true] {
            _ = queue.enqueue(job(queue.nextTicket(), shares: shares))
        }
        _ = queue.remove(2)
        #expect(queue.takeFirst()?.ticket == 1)
        #expect(queue.takeFirstThatShares()?.ticket == 3)
        // The fourth job does not share, and the fifth job must not overtake it.
        #expect(queue.takeFirstThatShares()?.ticket == nil)
        #expect(queue.takeFirst()?.ticket == 4)
        #expect(queue.takeFirstThatShares()?.ticket == 5)
        #expect(queue.takeFirstThatShares()?.ticket == nil)
    }

    @Test func `past its limit the queue takes no job, until one has left`() {
        var queue = WriteQueue(limit: 3)
        let tickets = fill(&queue, 3)
        let next = queue.nextTicket()
        guard case .refused(.tooManyWaiting) = queue.enqueue(job(next)) else {
            Issue.record("it was taken")
            return
        }
        _ = queue.remove(tickets[1])
        guard case .queued = queue.enqueue(job(next)) else {
            Issue.record("it was refused")
            return
        }
        #expect(queue.takeFirst()?.ticket == tickets[0])
    }

    @Test func `expired jobs are removed in order, and the next deadline is returned`() {
        var queue = WriteQueue()
        let tickets = (0..<3).map { _ in queue.nextTicket() }
        for (ticket, seconds) in zip(tickets, [100, 300, 200]) {
            _ = queue.enqueue(job(ticket, within: .seconds(seconds)))
        }
        let now = ContinuousClock.now
        #expect(queue.removeExpired(at: now).expired.isEmpty)
        let (first, next) = queue.removeExpired(at: now + .seconds(150))
        #expect(first.map(\.ticket) == [tickets[0]])
        #expect(next.map { $0 > now + .seconds(190) && $0 < now + .seconds(210) } == true)
        let (rest, none) = queue.removeExpired(at: now + .seconds(400))
        #expect(rest.map(\.ticket) == [tickets[1], tickets[2]])
        #expect(none == nil)
    }

    /// If each removal took linear time, the test would take hours. The clock only stops the test earlier.
    @Test(arguments: [false, true])
    func `taking and removing a job cost the same however many jobs wait`(areCancelled: Bool) {
        let count = 300_000
        var queue = WriteQueue(limit: count)
        let tickets = fill(&queue, count)
        let start = ContinuousClock.now
        var left = 0
        for ticket in tickets where ContinuousClock.now - start < .seconds(30) {
            let job = areCancelled ? queue.remove(ticket) : queue.takeFirst()
            left += job?.ticket == ticket ? 1 : 0
        }
        #expect(left == count)
    }

    @Test func `jobs that arrive and leave while the lock is held take no memory`() {
        var queue = WriteQueue()
        _ = fill(&queue, 10)
        for _ in 0..<100_000 { for ticket in fill(&queue, 1) { _ = queue.remove(ticket) } }
        #expect(queue.rememberedTickets < 200)
    }
}
