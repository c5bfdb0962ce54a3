internal import ArgumentParser

/// The options that say how an import stores rows.
struct StoringOptions: ParsableArguments {
    @Flag(help: "Do everything except writing and hashing, and report the result.")
    var dryRun = false

    @Flag(help: "Store nothing if any row is rejected.")
    var allOrNothing = false

    @Flag(help: "Import in a single transaction. Other writers wait until it ends.")
    var exclusive = false
}
