internal import ArgumentParser

/// A duration, as in `--valid-for 24h`: a whole number and `s`, `m`, `h`, `d` or `w`.
struct TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration
    /// The text that the user typed.
    let description: String

    /// Ten years, in seconds.
    private static let longest: Int64 = 315_360_000

    init?(argument: String) {
        guard let unit = argument.utf8.last, let seconds = Self.seconds(in: unit),
            let count = Int64(argument.dropLast()), count > 0, argument.utf8.first != UInt8(ascii: "+"),
            count <= Self.longest / seconds
        else { return nil }
        duration = .seconds(count * seconds)
        description = argument
    }

    private static func seconds(in unit: UInt8) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "w"): 604_800
        default: nil
        }
    }
}
