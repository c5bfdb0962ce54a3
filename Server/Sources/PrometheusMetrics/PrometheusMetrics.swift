public import CoreMetrics
internal import Synchronization

/// Keeps the metrics of this process, and writes them as the text that Prometheus reads (format 0.0.4).
///
/// Recording takes no lock: each series has its own atomics. Creating a metric takes one lock for a look-up, so code
/// that records often should keep its metric.
public final class PrometheusMetrics: MetricsFactory {
    private let registry: Mutex<Registry>
    private let help: [String: String]
    private let hasProcessMetrics: Bool

    /// Creates an empty set of metrics.
    ///
    /// - Parameters:
    ///   - mostSeries: The maximum number of label combinations of all metrics together. A metric with a further
    ///     combination records nothing. `metrics_dropped_series_total` counts how often such a metric is created.
    ///   - help: The descriptions of metrics by their labels in the code.
    ///   - hasProcessMetrics: Whether the text has `process_…` metrics.
    public init(mostSeries: Int = 10_000, help: [String: String] = [:], hasProcessMetrics: Bool = true) {
        registry = Mutex(Registry(mostSeries: mostSeries, hasProcessMetrics: hasProcessMetrics))
        self.help = help
        self.hasProcessMetrics = hasProcessMetrics
    }

    /// Returns all metrics in the text format, ordered by name and labels. The number of dropped series and the metrics
    /// of the process come last.
    public func text() -> String {
        let (families, dropped) = registry.withLock { ($0.families, $0.dropped) }
        var text = ExpositionText()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(name, family.kind, help: help[family.label])
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(to: &text, name: name, labels: labels)
            }
        }
        text.begin(
            Registry.droppedName, .counter,
            help: "Requests for series that are not recorded, because there are too many or the name is taken.")
        text.add(Registry.droppedName, labels: "", value: String(dropped))
        if hasProcessMetrics { ProcessMetrics.write(to: &text) }
        return text.text
    }

    /// The type of the answer that has `text()` as its body.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    // MARK: - MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, .counter, dimensions) { CounterSeries() } ?? DroppedSeries.only
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, .counter, dimensions) { FloatingPointCounterSeries() } ?? DroppedSeries.only
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, .gauge, dimensions) { GaugeSeries() } ?? DroppedSeries.only
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            series(label, .summary, dimensions) { SummarySeries() } ?? DroppedSeries.only
        } else {
            series(label, .gauge, dimensions) { GaugeSeries() } ?? DroppedSeries.only
        }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, .histogram, dimensions) { TimerSeries() } ?? DroppedSeries.only
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func series<Kind: Series>(
        _ label: String, _ kind: MetricKind, _ dimensions: [(String, String)], _ make: () -> Kind
    ) -> Kind? {
        let name = MetricNames.metric(label, kind)
        let labels = MetricNames.labels(dimensions, of: kind)
        return registry.withLock { $0.series(name, label: label, kind, labels: labels, make) }
    }

    private func remove(_ handler: AnyObject) {
        guard let series = handler as? any Series else { return }
        registry.withLock { $0.remove(series) }
    }
}
