internal import ArgumentParser

/// The option that confirms the creation of a store.
struct CreationOption: ParsableArguments {
    @Flag(help: "Create the store at --database without asking, if it does not exist.")
    var create = false
}
