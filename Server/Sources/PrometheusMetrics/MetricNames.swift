/// Converts the labels and dimensions of swift-metrics to names that Prometheus accepts.
enum MetricNames {
    /// Returns the name of a metric, with the ending that its type needs.
    static func metric(_ label: String, _ kind: MetricKind) -> String {
        let name = sanitised(label)
        return switch kind {
        case .counter: ending(name, "_total")
        case .histogram: ending(name, "_seconds")
        case .gauge, .summary: name
        }
    }

    /// Returns labels as the text writes them, in order of their names.
    ///
    /// A label with an empty value is omitted. If two labels have the same name, the first one is used.
    static func labels(_ dimensions: [(String, String)], of kind: MetricKind) -> String {
        if dimensions.isEmpty { return "" }
        var values: [String: String] = [:]
        for (name, value) in dimensions where !value.isEmpty {
            let name = label(name, kind)
            if values[name] == nil { values[name] = value }
        }
        return values.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(ExpositionText.escapedLabelValue($0.value))\"" }
            .joined(separator: ",")
    }

    private static func label(_ dimension: String, _ kind: MetricKind) -> String {
        var name = sanitised(dimension)
        // Names that begin with two underscores belong to Prometheus.
        while name.hasPrefix("__") { name.removeFirst() }
        return switch (name, kind) {
        case ("le", .histogram), ("quantile", .summary): name + "_"
        default: name
        }
    }

    private static func ending(_ name: String, _ end: String) -> String {
        name.hasSuffix(end) ? name : name + end
    }

    /// Replaces each character that is neither an ASCII letter nor a digit by an underscore. A name that is empty or
    /// begins with a digit gets an underscore at its start.
    private static func sanitised(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_": result.unicodeScalars.append(scalar)
            default: result += "_"
            }
        }
        if result.isEmpty || ("0"..."9").contains(result.unicodeScalars.first ?? "_") { result = "_" + result }
        return result
    }
}
