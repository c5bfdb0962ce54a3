internal import Platform
internal import ProfileCore

/// Checks whether there is enough memory for a hash: allocates the memory and frees it immediately. The check is
/// necessary before calls that cannot report a lack of memory.
enum MemoryProbe {
    /// - Throws: `.outOfMemory` if the allocation fails.
    static func require(_ cost: PasswordHash.Argon2Cost) throws(HashingError) {
        // libsodium uses two more bytes for each block of 1 KiB.
        let bytes = cost.memoryKiB * 1_026 + slack
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .outOfMemory }
        munmap(memory, bytes)
    }

    /// The number of bytes for libsodium's small allocations.
    private static let slack = 1 << 20
}
