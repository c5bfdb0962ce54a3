/// A command that takes a secret from a prompt, from standard input or from a file.
///
/// Messages never repeat the arguments of such a command, because a refused argument may be the secret (P12).
protocol SecretTaking {}
