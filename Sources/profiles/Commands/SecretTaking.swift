/// A command that takes a secret from a prompt, from standard input or from a file.
///
/// Messages never repeat its arguments, because an argument that it does not accept may be the secret (P12).
protocol SecretTaking {}
