/// The type of a metric, as the text names it.
enum MetricKind: String, Sendable {
    case counter, gauge, summary, histogram

    /// The endings of the names of its samples.
    var sampleEndings: [String] {
        switch self {
        case .counter, .gauge: [""]
        case .summary: ["", "_sum", "_count"]
        case .histogram: ["", "_bucket", "_sum", "_count"]
        }
    }
}

/// All series by metric and labels.
struct Registry {
    struct Family {
        /// The label of the metric in the code.
        let label: String
        let kind: MetricKind
        var series: [String: any Series] = [:]
    }

    static let droppedName = "metrics_dropped_series_total"

    private(set) var families: [String: Family] = [:]
    private(set) var dropped = 0
    private let mostSeries: Int
    private var count = 0
    /// The names of all samples. Two metrics must not share one.
    private var sampleNames: Set<String>

    init(mostSeries: Int, hasProcessMetrics: Bool) {
        self.mostSeries = mostSeries
        sampleNames = [Self.droppedName]
        if hasProcessMetrics { sampleNames.formUnion(ProcessMetrics.names) }
    }

    /// Returns the series with these labels. It is made if it does not exist.
    ///
    /// Returns `nil` if there are too many series, if the metric of this name has another type, or if another metric
    /// uses one of the sample names.
    mutating func series<Kind: Series>(
        _ name: String, label: String, _ kind: MetricKind, labels: String, _ make: () -> Kind
    ) -> Kind? {
        if let existing = families[name]?.series[labels] {
            if let series = existing as? Kind { return series }
            dropped += 1
            return nil
        }
        guard count < mostSeries, hasPlace(name, kind) else {
            dropped += 1
            return nil
        }
        let series = make()
        families[name, default: Family(label: label, kind: kind)].series[labels] = series
        for ending in kind.sampleEndings { sampleNames.insert(name + ending) }
        count += 1
        return series
    }

    mutating func remove(_ series: any Series) {
        for (name, family) in families {
            guard let labels = family.series.first(where: { $0.value === series })?.key else { continue }
            families[name]?.series[labels] = nil
            count -= 1
            if family.series.count == 1 {
                families[name] = nil
                for ending in family.kind.sampleEndings { sampleNames.remove(name + ending) }
            }
            return
        }
    }

    private func hasPlace(_ name: String, _ kind: MetricKind) -> Bool {
        if let family = families[name] { return family.kind == kind }
        return kind.sampleEndings.allSatisfy { !sampleNames.contains(name + $0) }
    }
}
