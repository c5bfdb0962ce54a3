public import ProfileCore

/// How much work goes into our own hashes: Argon2id, one lane.
///
/// The default, 19 MiB and two passes, is what the OWASP Password Storage Cheat Sheet asks for at least. It can be
/// raised, up to what `PasswordHash` takes (P8), but not lowered. One hash under the default took about 27 ms on a
/// machine of two cores.
public struct HashingPolicy: Sendable, Equatable {
    /// What a hash under this policy costs.
    public let cost: PasswordHash.Argon2Cost

    /// 19,456 KiB and 2 passes, the least that is allowed.
    public static let standard = HashingPolicy(
        cost: PasswordHash.Argon2Cost(memoryKiB: memoryBounds.lowerBound, iterations: iterationBounds.lowerBound))

    /// The memory that a policy may name, in KiB.
    public static let memoryBounds = 19_456...PasswordHash.Argon2Cost.maximumMemoryKiB
    /// The passes that a policy may name.
    public static let iterationBounds = 2...PasswordHash.Argon2Cost.maximumIterations

    /// Names a policy.
    ///
    /// - Parameters:
    ///   - memoryKiB: the memory of one hash, in KiB; every thread of a hasher uses as much at once.
    ///   - iterations: the passes over the memory.
    /// - Throws: `HashingPolicyError` when either is out of bounds.
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

    /// Whether a hash is to be replaced once its secret is known: a foreign scheme, or less memory or fewer passes.
    public func isWeaker(_ hash: PasswordHash) -> Bool {
        guard case .argon2id(let other) = hash.parameters else { return true }
        return other.memoryKiB < cost.memoryKiB || other.iterations < cost.iterations
    }
}

/// Why a hashing policy is refused.
public enum HashingPolicyError: Error, Equatable, Sendable {
    /// Too little memory to be safe, or more than a hash may ask for.
    case memory(kibibytes: Int, allowed: ClosedRange<Int>)
    /// Too few passes to be safe, or more than a hash may ask for.
    case iterations(Int, allowed: ClosedRange<Int>)
}

extension PasswordHash.Argon2Cost {
    /// libsodium hashes with one lane only; it verifies any number.
    fileprivate init(memoryKiB: Int, iterations: Int) {
        self.init(memoryKiB: memoryKiB, iterations: iterations, parallelism: 1)
    }
}
