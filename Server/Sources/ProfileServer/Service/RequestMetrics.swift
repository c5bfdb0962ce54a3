internal import Metrics
internal import Synchronization

/// Counts the requests, and measures how long their answers take.
final class RequestMetrics: Sendable {
    private struct Labels: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    /// The metrics of requests with the same labels. Making them costs far more than recording.
    private struct Recorders {
        let requests: Counter
        let duration: Timer

        init(_ labels: Labels) {
            requests = Counter(
                label: "http_requests_total",
                dimensions: [("method", labels.method), ("route", labels.route), ("status", String(labels.status))])
            duration = Timer(label: "http_request_duration_seconds", dimensions: [("route", labels.route)])
        }
    }

    private let recorders = Mutex<[Labels: Recorders]>([:])

    /// Records a request.
    func count(_ method: String, _ route: String, _ status: Int, nanoseconds: Int64) {
        let labels = Labels(method: method, route: route, status: status)
        let recorders = recorders.withLock { recorders in
            if let known = recorders[labels] { return known }
            let new = Recorders(labels)
            recorders[labels] = new
            return new
        }
        recorders.requests.increment()
        recorders.duration.recordNanoseconds(nanoseconds)
    }
}
