public import ArgumentParser
internal import ProfileTransfer

/// What becomes of rows whose profiles are stored already.
struct DuplicateOption: ParsableArguments {
    @Option(
        name: .customLong("on-duplicate"),
        help: "What becomes of a row whose profile is there already: reject, skip or update.")
    var policy = ImportOptions.DuplicatePolicy.reject
}

extension ImportOptions.DuplicatePolicy: ExpressibleByArgument {}
