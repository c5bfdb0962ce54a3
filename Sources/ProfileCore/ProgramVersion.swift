/// Which version of this package it is: of the libraries, and of the command.
package enum ProgramVersion {
    package static let number = "0.2.0"

    /// As reports name it.
    package static let name = "profiles " + number
}
