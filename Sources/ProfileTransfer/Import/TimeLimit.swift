/// The time limit of a transaction. When the limit is reached, another transaction stores the rest of the batch,
/// because other writers must not wait too long (I14).
struct TimeLimit {
    private let duration: Duration?
    private var deadline: ContinuousClock.Instant?
    private var steps = 0
    private(set) var isReached = false

    /// Creates a limit. If the duration is nil, the limit is never reached.
    init(_ duration: Duration?) { self.duration = duration }

    /// Starts measuring the time.
    mutating func begin() { deadline = duration.map { .now + $0 } }

    /// Marks the limit as reached. Has no effect if the duration is nil.
    mutating func end() { if duration != nil { isReached = true } }

    /// Counts a row or record. Checks the clock at every 64th call.
    mutating func step() {
        guard let deadline else { return }
        steps += 1
        if steps % 64 == 0, .now >= deadline { isReached = true }
    }
}
