internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

/// A time in the past, as in `--since 7d` or `--since 2026-11-01`: a duration before now, or a day or a time in UTC.
struct PastTime: ExpressibleByArgument, CustomStringConvertible {
    private enum Form {
        case ago(Duration)
        case time(Timestamp)
    }

    private let form: Form
    /// The text that the user typed.
    let description: String

    init?(argument: String) {
        if let span = TimeSpan(argument: argument) {
            form = .ago(span.duration)
        } else if let day = CalendarDay(iso: argument) {
            form = .time(Timestamp(day: day, millisecondOfDay: 0))
        } else if let moment = DateTime(iso: argument) {
            let time = moment.time
            let seconds = Int64(time.hour * 3_600 + time.minute * 60 + time.second)
            form = .time(
                Timestamp(day: moment.day, millisecondOfDay: seconds * 1_000 + Int64(time.nanosecond / 1_000_000)))
        } else {
            return nil
        }
        description = argument
    }

    var time: Timestamp {
        switch form {
        case .ago(let duration): Timestamp.now().advanced(by: .zero - duration)
        case .time(let time): time
        }
    }
}

/// The time for which a store keeps the history, as in `--history 30`: a number of days, or `none`.
struct HistoryTime: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    static let mostDays: Int64 = 36_500

    init?(argument: String) {
        if argument == "none" {
            duration = .zero
            return
        }
        guard let days = Int64(argument), 1...Self.mostDays ~= days else { return nil }
        duration = .seconds(days * 86_400)
    }

    init(_ duration: Duration) { self.duration = duration }

    var description: String {
        guard duration > .zero else { return "none" }
        let days = duration.components.seconds / 86_400
        return days == 1 ? "1 day" : "\(days) days"
    }
}
