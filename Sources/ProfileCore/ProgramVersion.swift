/// The version of this package. The libraries and the command share it.
package enum ProgramVersion {
    package static let number = "0.2.0"

    /// The program's name and version, as reports show them.
    package static let name = "profiles " + number
}
