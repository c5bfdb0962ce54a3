/// A command that takes a secret from a prompt, from standard input or from a file.
///
/// What it was called with is never repeated: an argument that it does not take may be the secret (P12).
protocol SecretTaking {}
