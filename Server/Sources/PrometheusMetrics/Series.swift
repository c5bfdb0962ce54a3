internal import CoreMetrics
internal import Synchronization

/// The values of a metric with one combination of labels.
protocol Series: AnyObject, Sendable {
    func write(to text: inout ExpositionText, name: String, labels: String)
}

/// Ignores all values. It replaces a series that the registry refuses, because there are too many or the name is taken.
final class DroppedSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    static let only = DroppedSeries()

    func increment(by _: Int64) {}
    func increment(by _: Double) {}
    func decrement(by _: Double) {}
    func reset() {}
    func set(_: Int64) {}
    func set(_: Double) {}
    func record(_: Int64) {}
    func record(_: Double) {}
    func recordNanoseconds(_: Int64) {}
}

final class CounterSeries: CounterHandler, Series {
    private let value = Atomic<UInt64>(0)

    /// A counter never falls, so a negative amount is ignored.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(to text: inout ExpositionText, name: String, labels: String) {
        text.add(name, labels: labels, value: String(value.load(ordering: .relaxed)))
    }
}

final class FloatingPointCounterSeries: FloatingPointCounterHandler, Series {
    private let value = AtomicDouble()

    /// A counter never falls, so a negative amount is ignored, as is one that is not finite.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.add(amount)
    }

    func reset() { value.set(0) }

    func write(to text: inout ExpositionText, name: String, labels: String) {
        text.add(name, labels: labels, value: ExpositionText.number(value.load()))
    }
}

/// A value that rises and falls.
final class GaugeSeries: MeterHandler, RecorderHandler, Series {
    private let value = AtomicDouble()

    func set(_ new: Int64) { value.set(Double(new)) }
    func set(_ new: Double) { value.set(new) }
    func increment(by amount: Double) { value.add(amount) }
    func decrement(by amount: Double) { value.add(-amount) }
    func record(_ new: Int64) { value.set(Double(new)) }
    func record(_ new: Double) { value.set(new) }

    func write(to text: inout ExpositionText, name: String, labels: String) {
        text.add(name, labels: labels, value: ExpositionText.number(value.load()))
    }
}

/// The number of recorded values, and their sum.
final class SummarySeries: RecorderHandler, Series {
    private let count = Atomic<UInt64>(0)
    private let sum = AtomicDouble()

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // After one value that is not finite, the sum would never be finite again.
        guard value.isFinite else { return }
        sum.add(value)
        count.wrappingAdd(1, ordering: .relaxed)
    }

    func write(to text: inout ExpositionText, name: String, labels: String) {
        text.add(name + "_sum", labels: labels, value: ExpositionText.number(sum.load()))
        text.add(name + "_count", labels: labels, value: String(count.load(ordering: .relaxed)))
    }
}

/// A histogram of durations.
final class TimerSeries: TimerHandler, Series {
    /// The upper bounds of the buckets in nanoseconds, and as the text writes them.
    private static let bounds: [(nanoseconds: Int64, text: String)] = [
        (1_000_000, "0.001"), (2_500_000, "0.0025"), (5_000_000, "0.005"), (10_000_000, "0.01"),
        (25_000_000, "0.025"), (50_000_000, "0.05"), (100_000_000, "0.1"), (250_000_000, "0.25"),
        (500_000_000, "0.5"), (1_000_000_000, "1"), (2_500_000_000, "2.5"), (5_000_000_000, "5"),
        (10_000_000_000, "10"), (30_000_000_000, "30"),
    ]

    /// The count of each bucket, not cumulative. The last bucket has no bound.
    private let counts = InlineArray<15, Atomic<UInt64>> { _ in Atomic(0) }
    private let nanoseconds = Atomic<UInt64>(0)

    /// A negative duration is recorded as zero.
    func recordNanoseconds(_ duration: Int64) {
        let duration = max(0, duration)
        let bucket = Self.bounds.firstIndex { duration <= $0.nanoseconds } ?? Self.bounds.count
        counts[bucket].wrappingAdd(1, ordering: .relaxed)
        nanoseconds.wrappingAdd(UInt64(duration), ordering: .relaxed)
    }

    func write(to text: inout ExpositionText, name: String, labels: String) {
        // `_count` is the sum of the buckets that were read. So it equals the last bucket, even if other threads record
        // values at the same time.
        var total: UInt64 = 0
        let start = labels.isEmpty ? "" : labels + ","
        for index in counts.indices {
            total &+= counts[index].load(ordering: .relaxed)
            let bound = index < Self.bounds.count ? Self.bounds[index].text : "+Inf"
            text.add(name + "_bucket", labels: start + "le=\"\(bound)\"", value: String(total))
        }
        let sum = nanoseconds.load(ordering: .relaxed)
        text.add(name + "_sum", labels: labels, value: ExpositionText.seconds(nanoseconds: sum))
        text.add(name + "_count", labels: labels, value: String(total))
    }
}

/// A `Double` that several threads may add to.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func load() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = current
        }
    }
}
