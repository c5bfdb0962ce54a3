import CoreMetrics
import Testing

@testable import PrometheusMetrics

@Suite(.timeLimit(.minutes(5)))
struct PrometheusMetricsTests {
    /// The text without the metric of dropped series, which every text ends with.
    private func text(_ metrics: PrometheusMetrics) -> String {
        let text = metrics.text()
        return text.firstRange(of: "# HELP metrics_dropped_series_total").map { String(text[..<$0.lowerBound]) } ?? text
    }

    private func metrics(most: Int = 10_000, help: [String: String] = [:]) -> PrometheusMetrics {
        PrometheusMetrics(mostSeries: most, help: help, hasProcessMetrics: false)
    }

    @Test
    func `Counters, gauges and recorders are written in order of names and labels`() {
        let metrics = metrics(help: ["http.requests": "Requests\nby \\ \"route\"."])
        metrics.makeCounter(label: "http.requests", dimensions: [("route", "/b"), ("method", "GET")]).increment(by: 3)
        metrics.makeCounter(label: "http.requests", dimensions: [("method", "GET"), ("route", "/a")]).increment(by: 1)
        metrics.makeCounter(label: "http.requests", dimensions: [("route", "/b"), ("method", "GET")]).increment(by: 4)
        metrics.makeFloatingPointCounter(label: "energy_total", dimensions: []).increment(by: 0.25)
        let meter = metrics.makeMeter(label: "queue-length", dimensions: [])
        meter.set(Int64(5))
        meter.increment(by: 2.5)
        meter.decrement(by: 0.5)
        metrics.makeRecorder(label: "temperature", dimensions: [], aggregate: false).record(-1.5)
        let recorder = metrics.makeRecorder(label: "9 lives", dimensions: [], aggregate: true)
        recorder.record(Int64(2))
        recorder.record(0.5)
        #expect(
            text(metrics) == """
                # TYPE _9_lives summary
                _9_lives_sum 2.5
                _9_lives_count 2
                # TYPE energy_total counter
                energy_total 0.25
                # HELP http_requests_total Requests\\nby \\\\ "route".
                # TYPE http_requests_total counter
                http_requests_total{method="GET",route="/a"} 1
                http_requests_total{method="GET",route="/b"} 7
                # TYPE queue_length gauge
                queue_length 7
                # TYPE temperature gauge
                temperature -1.5

                """)
    }

    @Test
    func `A timer is a histogram in seconds with cumulative buckets`() {
        let metrics = metrics()
        let timer = metrics.makeTimer(label: "answer", dimensions: [("le", "x")])
        for nanoseconds: Int64 in [0, -5, 1_000_000, 1_000_001, 30_000_000_000, 30_000_000_001] {
            timer.recordNanoseconds(nanoseconds)
        }
        #expect(
            text(metrics) == """
                # TYPE answer_seconds histogram
                answer_seconds_bucket{le_="x",le="0.001"} 3
                answer_seconds_bucket{le_="x",le="0.0025"} 4
                answer_seconds_bucket{le_="x",le="0.005"} 4
                answer_seconds_bucket{le_="x",le="0.01"} 4
                answer_seconds_bucket{le_="x",le="0.025"} 4
                answer_seconds_bucket{le_="x",le="0.05"} 4
                answer_seconds_bucket{le_="x",le="0.1"} 4
                answer_seconds_bucket{le_="x",le="0.25"} 4
                answer_seconds_bucket{le_="x",le="0.5"} 4
                answer_seconds_bucket{le_="x",le="1"} 4
                answer_seconds_bucket{le_="x",le="2.5"} 4
                answer_seconds_bucket{le_="x",le="5"} 4
                answer_seconds_bucket{le_="x",le="10"} 4
                answer_seconds_bucket{le_="x",le="30"} 5
                answer_seconds_bucket{le_="x",le="+Inf"} 6
                answer_seconds_sum{le_="x"} 60.002000002
                answer_seconds_count{le_="x"} 6

                """)
    }

    @Test
    func `Label values are escaped, and names are made valid`() {
        let metrics = metrics()
        metrics.makeCounter(
            label: "größe",
            dimensions: [("__name__", "a\"b\\c\nd"), ("", "e"), ("1st", "ü"), ("none", ""), ("1st", "second")]
        ).increment(by: 1)
        #expect(
            text(metrics) == """
                # TYPE gr__e_total counter
                gr__e_total{_="e",_1st="ü",_name__="a\\"b\\\\c\\nd"} 1

                """)
    }

    @Test(arguments: [
        (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e20, "1e+20"), (0.1, "0.1"), (-0.0, "-0"),
    ])
    func `Numbers are written as Prometheus reads them`(value: Double, expected: String) {
        let metrics = metrics()
        metrics.makeMeter(label: "value", dimensions: []).set(value)
        #expect(text(metrics) == "# TYPE value gauge\nvalue \(expected)\n")
    }

    @Test
    func `Counters ignore negative amounts, and counters and recorders ignore values that are not finite`() {
        let metrics = metrics()
        let counter = metrics.makeCounter(label: "count", dimensions: [])
        counter.increment(by: 2)
        counter.increment(by: -1)
        let exact = metrics.makeFloatingPointCounter(label: "exact", dimensions: [])
        exact.increment(by: 1.5)
        for amount in [-1, Double.nan, .infinity] { exact.increment(by: amount) }
        let recorder = metrics.makeRecorder(label: "size", dimensions: [], aggregate: true)
        for value in [Double.nan, .infinity, 3] { recorder.record(value) }
        #expect(
            text(metrics) == """
                # TYPE count_total counter
                count_total 2
                # TYPE exact_total counter
                exact_total 1.5
                # TYPE size summary
                size_sum 3
                size_count 1

                """)
        counter.reset()
        #expect(text(metrics).contains("count_total 0\n"))
    }

    @Test
    func `Series beyond the limit record nothing and are counted, until others are destroyed`() {
        let metrics = metrics(most: 2)
        let first = metrics.makeCounter(label: "a", dimensions: [("n", "1")])
        metrics.makeTimer(label: "b", dimensions: []).recordNanoseconds(1)
        let third = metrics.makeCounter(label: "a", dimensions: [("n", "3")])
        third.increment(by: 1)
        metrics.makeMeter(label: "c", dimensions: []).set(1.0)
        #expect(!metrics.text().contains("n=\"3\"") && !metrics.text().contains("c 1"))
        #expect(metrics.text().hasSuffix(" counter\nmetrics_dropped_series_total 2\n"))
        metrics.makeCounter(label: "a", dimensions: [("n", "1")]).increment(by: 1)
        metrics.destroyCounter(first)
        metrics.destroyCounter(third)
        metrics.makeMeter(label: "c", dimensions: []).set(1.0)
        #expect(!metrics.text().contains("a_total") && metrics.text().contains("c 1\n"))
    }

    @Test
    func `Two metrics never share a name`() {
        let metrics = metrics()
        metrics.makeTimer(label: "x", dimensions: []).recordNanoseconds(1)
        metrics.makeMeter(label: "x_seconds_count", dimensions: []).set(9.0)
        metrics.makeRecorder(label: "x_seconds", dimensions: [("a", "b")], aggregate: true).record(9.0)
        metrics.makeMeter(label: "metrics_dropped_series_total", dimensions: []).set(9.0)
        metrics.makeCounter(label: "n", dimensions: []).increment(by: 1)
        metrics.makeFloatingPointCounter(label: "n", dimensions: []).increment(by: 9)
        let lines = metrics.text().split(separator: "\n")
        let names = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(names == ["n_total", "x_seconds", "metrics_dropped_series_total"])
        #expect(!lines.contains { $0.hasSuffix(" 9") })
        #expect(lines.last == "metrics_dropped_series_total 4")
    }

    @Test
    func `Sums are exact when many tasks record at once`() async {
        let metrics = metrics()
        let tasks = 8
        let rounds = 2_000
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        metrics.makeCounter(label: "all", dimensions: []).increment(by: 1)
                        metrics.makeCounter(label: "each", dimensions: [("task", "\(task)")]).increment(by: 2)
                        metrics.makeFloatingPointCounter(label: "half", dimensions: []).increment(by: 0.5)
                        metrics.makeTimer(label: "time", dimensions: []).recordNanoseconds(Int64(round))
                        metrics.makeMeter(label: "level", dimensions: []).increment(by: 1)
                        metrics.makeMeter(label: "level", dimensions: []).decrement(by: 1)
                        metrics.makeRecorder(label: "size", dimensions: [], aggregate: true).record(Int64(4))
                        if round % 500 == 0 { _ = metrics.text() }
                    }
                }
            }
        }
        let lines = Set(metrics.text().split(separator: "\n").map(String.init))
        let count = tasks * rounds
        let nanoseconds = UInt64(tasks * rounds * (rounds - 1) / 2)
        for line in [
            "all_total \(count)", "half_total \(count / 2)", "level 0", "size_count \(count)", "size_sum \(4 * count)",
            "time_seconds_count \(count)", "time_seconds_bucket{le=\"+Inf\"} \(count)",
            "time_seconds_sum \(ExpositionText.seconds(nanoseconds: nanoseconds))",
            "metrics_dropped_series_total 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        for task in 0..<tasks { #expect(lines.contains("each_total{task=\"\(task)\"} \(2 * rounds)")) }
    }

    @Test
    func `The process has its memory, time, files and start`() throws {
        let text = PrometheusMetrics().text()
        func value(_ name: String) throws -> Double {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
            return try #require(Double(line.dropFirst(name.count + 1)))
        }
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_cpu_seconds_total") >= 0)
        #expect(try value("process_open_fds") >= 3)
        // After 2020, and not in milliseconds.
        #expect(try (1_577_836_800..<1e11).contains(value("process_start_time_seconds")))
        #expect(text.contains("# TYPE process_cpu_seconds_total counter\n"))
    }

    @Test
    func `Every text keeps the rules of the format`() {
        let metrics = PrometheusMetrics()
        metrics.makeTimer(label: "http.time", dimensions: [("route", "/v1/{key}")]).recordNanoseconds(5)
        metrics.makeCounter(label: "http.count", dimensions: [("route", "/v1/{key}")]).increment(by: 5)
        let text = metrics.text()
        var types: [Substring: Substring] = [:]
        var samples: Set<Substring> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                #expect(types.updateValue(words[3], forKey: words[2]) == nil, "A type is written once.")
            } else if !line.hasPrefix("# HELP ") {
                let form = /[a-z_][a-z0-9_]*(\{([a-z_]+="[^"\\\n]*",?)+\})? [-+0-9.eInfNa]+/
                #expect(line.wholeMatch(of: form) != nil, "\(line)")
                let sample = line.prefix { $0 != " " }
                #expect(samples.insert(sample).inserted, "A sample is written once.")
                let name = sample.prefix { $0 != "{" }
                let ending = name.lastIndex(of: "_") ?? name.endIndex
                let family = types.keys.contains(name) ? name : name[..<ending]
                #expect(types[family] != nil, "The type comes first: \(line)")
                #expect((types[family] == "counter") == name.hasSuffix("_total"), "Only counters end with _total.")
            }
        }
        #expect(text.hasSuffix("\n"))
    }
}
