public import ArgumentParser
internal import ProfileTransfer

/// The option for rows whose profiles are stored already.
struct DuplicateOption: ParsableArguments {
    @Option(
        name: .customLong("on-duplicate"),
        help: "Reject, skip or update rows whose profiles are stored already.")
    var policy = ImportOptions.DuplicatePolicy.reject
}

extension ImportOptions.DuplicatePolicy: ExpressibleByArgument {}
