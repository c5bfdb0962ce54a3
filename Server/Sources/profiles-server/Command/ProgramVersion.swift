/// The version of the program, which is that of the libraries and the command.
enum ProgramVersion {
    static let number = "0.2.0"
}
