internal import ArgumentParser

/// Says that a store is to be made.
struct CreationOption: ParsableArguments {
    @Flag(help: "Make the store that --database names, if there is none, without asking.")
    var create = false
}
