#pragma once

/// Replaces libsodium's Argon2 in a program that links this target. Hashing returns zeros, and verification accepts
/// every secret. See LoginStubs.c.
