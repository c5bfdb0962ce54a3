public import ProfileCore

/// The cost of the hashes that the program makes: Argon2id with one lane.
///
/// The default, 19 MiB and two passes, is the minimum of the OWASP Password Storage Cheat Sheet. The cost can be raised
/// up to the limit of `PasswordHash` (P8), but it cannot be lowered. One hash under the default took about 27 ms on a
/// machine with two cores.
public struct HashingPolicy: Sendable, Equatable {
    /// The cost of a hash under this policy.
    public let cost: PasswordHash.Argon2Cost

    /// 19,456 KiB and 2 passes, the allowed minimum.
    public static let standard = HashingPolicy(
        cost: PasswordHash.Argon2Cost(memoryKiB: memoryBounds.lowerBound, iterations: iterationBounds.lowerBound))

    /// The allowed memory of a policy, in KiB.
    public static let memoryBounds = 19_456...PasswordHash.Argon2Cost.maximumMemoryKiB
    /// The allowed number of passes of a policy.
    public static let iterationBounds = 2...PasswordHash.Argon2Cost.maximumIterations

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - memoryKiB: The memory of one hash, in KiB. Each thread of a hasher uses this amount while it computes.
    ///   - iterations: The number of passes over the memory.
    /// - Throws: `HashingPolicyError` if the memory or the number of passes is out of bounds.
    public init(memoryKiB: Int, iterations: Int) throws(HashingPolicyError) {
        guard Self.memoryBounds.contains(memoryKiB) else {
            throw .memory(kibibytes: memoryKiB, allowed: Self.memoryBounds)
        }
        guard Self.iterationBounds.contains(iterations) else {
            throw .iterations(iterations, allowed: Self.iterationBounds)
        }
        self.init(cost: PasswordHash.Argon2Cost(memoryKiB: memoryKiB, iterations: iterations))
    }

    private init(cost: PasswordHash.Argon2Cost) {
        self.cost = cost
    }

    /// Returns whether a hash should be replaced when its secret is known. A hash should be replaced if its scheme is
    /// not Argon2id, or if it uses less memory or fewer passes than this policy.
    public func isWeaker(_ hash: PasswordHash) -> Bool {
        guard case .argon2id(let other) = hash.parameters else { return true }
        return other.memoryKiB < cost.memoryKiB || other.iterations < cost.iterations
    }
}

/// The reason why a hashing policy is refused.
public enum HashingPolicyError: Error, Equatable, Sendable {
    /// The memory is too small to be safe, or larger than the maximum for a hash.
    case memory(kibibytes: Int, allowed: ClosedRange<Int>)
    /// The number of passes is too small to be safe, or larger than the maximum for a hash.
    case iterations(Int, allowed: ClosedRange<Int>)
}

extension PasswordHash.Argon2Cost {
    /// Creates a cost with one lane. The reason: libsodium can verify hashes with any number of lanes, but can compute
    /// only hashes with one lane.
    fileprivate init(memoryKiB: Int, iterations: Int) {
        self.init(memoryKiB: memoryKiB, iterations: iterations, parallelism: 1)
    }
}
