#pragma once

/// Hashing is left out: libsodium's Argon2, as a program with this links it, gives zeros, and takes every secret for the
/// right one. See LoginStubs.c.
