internal import Platform
public import ProfileCore
internal import Synchronization
internal import Threads

/// Hashes and verifies passwords and passcodes (P6–P8, P10, P11).
///
/// New hashes are computed with Argon2id under the policy, from the NFC form of the secret. Verification accepts every
/// hash that `PasswordHash` can read. All hashes are computed on the hasher's own threads. A program needs only one
/// hasher.
public final class PasscodeHasher: Sendable {
    /// The cost of a hash.
    public let policy: HashingPolicy

    package let pool: HashingPool
    /// The maximum number of hashes that are computed at the same time.
    package let threads: Int
    /// Called after each hash; nil if there is no observer.
    private let finished: (@Sendable (HashingWork) -> Void)?
    private let argon2Counter = Atomic(0)

    /// The number of Argon2 hashes that were computed so far, for any reason.
    package var argon2Runs: Int { argon2Counter.load(ordering: .relaxed) }

    /// Creates a hasher. The threads of the hasher start with the first hash.
    ///
    /// - Parameters:
    ///   - policy: The cost of a hash.
    ///   - threads: The maximum number of concurrent hashes, each with the policy's memory; by default the number of
    ///     cores.
    ///   - queueLimit: The maximum number of waiting calls; by default 64 for each thread.
    /// - Throws: `HashingError.unavailable` if libsodium cannot be initialised.
    public convenience init(
        policy: HashingPolicy = .standard, threads: Int? = nil, queueLimit: Int? = nil
    ) throws(HashingError) {
        try self.init(policy: policy, threads: threads, queueLimit: queueLimit, finished: nil)
    }

    /// Creates a hasher. After each hash, it calls `finished` in the task that waits for the hash.
    package init(
        policy: HashingPolicy, threads: Int?, queueLimit: Int? = nil, finished: (@Sendable (HashingWork) -> Void)?
    ) throws(HashingError) {
        try Argon2.prepare()
        self.policy = policy
        self.finished = finished
        self.threads = max(threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        pool = HashingPool(threads: self.threads, queueLimit: queueLimit ?? 64 * self.threads)
    }

    /// Hashes a secret under the policy, with a random salt.
    ///
    /// - Throws: `HashingError`: `.busy` immediately if too many calls wait.
    public func hash(_ secret: Secret) async throws(HashingError) -> PasswordHash {
        try await work(isVerification: false, hasSucceeded: { _ in true }) { () throws(HashingError) in
            self.countArgon2()
            return try Argon2.hash(NFC.form(of: secret), under: self.policy)
        }
    }

    /// Hashes many secrets. The call keeps all threads busy, but queues at most two hashes for each thread at a time.
    ///
    /// - Parameters:
    ///   - secrets: The secrets.
    ///   - progress: Called after each hash with the number of finished hashes.
    /// - Returns: The hashes, in the order of the secrets.
    /// - Throws: `HashingError`: `.busy` only if hashes of other calls fill the queue, and no hash of this call is
    ///   queued or running.
    public func hashAll(
        _ secrets: [Secret], progress: @Sendable (Int) -> Void = { _ in }
    ) async throws(HashingError) -> [PasswordHash] {
        typealias Finished = (index: Int, outcome: Result<PasswordHash, HashingError>)
        let most = 2 * threads
        let outcome = await withTaskGroup(of: Finished.self) { group -> Result<[PasswordHash], HashingError> in
            var hashes = [PasswordHash?](repeating: nil, count: secrets.count)
            var pending = Array(secrets.indices.reversed())
            var running = 0
            var allowed = most
            var done = 0
            while done < secrets.count {
                while running < allowed, let index = pending.popLast() {
                    running += 1
                    group.addTask {
                        do throws(HashingError) {
                            // The hash is computed outside of the tuple. If the call is inside the tuple, Swift 6.3.1
                            // with -O sometimes returns a wrong index.
                            let hash = try await self.hash(secrets[index])
                            return (index, .success(hash))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                guard let finished = await group.next() else { break }
                running -= 1
                switch finished.outcome {
                case .success(let hash):
                    hashes[finished.index] = hash
                    done += 1
                    allowed = min(allowed + 1, most)
                    progress(done)
                case .failure(.busy) where running > 0:
                    // The queue is full of hashes of other calls. When another hash of this call is finished, this
                    // secret is queued again.
                    pending.append(finished.index)
                    allowed = running
                case .failure(let error):
                    group.cancelAll()
                    return .failure(error)
                }
            }
            return .success(hashes.compactMap(\.self))
        }
        return try outcome.get()
    }

    /// Returns whether a secret matches a hash.
    ///
    /// If the hash has the parameters of the policy, an attacker cannot learn from the duration whether the user is
    /// unknown or the secret is wrong. If `hash` is nil, the call computes as many hashes under the policy as it
    /// computes for a wrong secret. If the parameters of the hash differ from the policy, the call with a wrong secret
    /// checks this hash and also computes the hashes under the policy (P10). So this call may take longer.
    ///
    /// This hasher makes an Argon2id hash from the NFC form. The caller may also supply a hash that another program
    /// made: a given hash. The other program may have made the given hash from the bytes as they were typed. If these
    /// bytes differ from the NFC form, both forms are always tried. So the duration depends on the typed text, but does
    /// not show which form matched. A hash of a scheme other than Argon2id is always a given hash. It is compared only
    /// with the bytes as they were typed.
    ///
    /// - Parameters:
    ///   - secret: The typed secret.
    ///   - hash: The stored hash; nil for a user that does not exist.
    /// - Returns: Whether the secret matches, and whether the hash should be replaced.
    /// - Throws: `HashingError`: `.busy` immediately if too many calls wait.
    public func verify(_ secret: Secret, against hash: PasswordHash?) async throws(HashingError) -> Verification {
        try await work(isVerification: true, hasSucceeded: { $0 != .wrong }) { () throws(HashingError) in
            try self.judge(secret, against: hash)
        }
    }

    /// The result of a verification.
    public enum Verification: Sendable, Equatable {
        /// The secret is wrong, or there is no such user.
        case wrong
        /// The secret is right. If `rehash` is true, the hash is weaker than the policy requires. The caller should
        /// replace the hash with compare-and-swap, because a concurrent edit has priority (P7).
        case right(rehash: Bool)
    }

    /// Computes on one of the threads, and then calls `finished`.
    private func work<Value: Sendable>(
        isVerification: Bool, hasSucceeded: (Value) -> Bool,
        _ compute: @escaping @Sendable () throws(HashingError) -> Value
    ) async throws(HashingError) -> Value {
        guard let finished else { return try await pool.run(compute) }
        let measured = await WaitingTime.measuring { () throws(HashingError) in try await pool.run(compute) }
        finished(
            HashingWork(
                isVerification: isVerification, outcome: measured.outcome.map(hasSucceeded),
                duration: measured.duration, waited: measured.waited))
        return try measured.outcome.get()
    }

    private func judge(_ secret: Secret, against hash: PasswordHash?) throws(HashingError) -> Verification {
        let normalised = NFC.form(of: secret)
        let forms = normalised == secret ? [secret] : [normalised, secret]

        guard let hash else {
            try spend(forms)
            return .wrong
        }

        let isOurs = hash.parameters == .argon2id(policy.cost)
        // If the secret is wrong, a hash under the policy is computed too. If there is not enough memory for this
        // second hash, nothing is computed. An attempt that fails for lack of memory is not counted, so it must not
        // reveal anything about the secret.
        if !isOurs { try MemoryProbe.require(policy.cost) }
        let isRight =
            switch hash.parameters {
            case .argon2id: try matchesArgon2(anyOf: forms, hash)
            case .argon2i: try matchesArgon2(anyOf: [secret], hash)
            case .bcrypt, .yescrypt, .scrypt, .sha512crypt: try SystemCrypt.matches(secret, hash)
            }
        if isRight { return .right(rehash: shouldRehash(secret, hash)) }
        if !isOurs { try? spend(forms) }
        return .wrong
    }

    /// Always tries every form. If there is not enough memory for a later form, this form counts as a mismatch. If an
    /// error were thrown instead, the attempt would not be counted, although the first form was already compared.
    private func matchesArgon2(anyOf forms: [Secret], _ hash: PasswordHash) throws(HashingError) -> Bool {
        var isRight = false
        for (index, form) in forms.enumerated() {
            do throws(HashingError) {
                if try matchesArgon2(form, hash) { isRight = true }
            } catch {
                if index == 0 { throw error }
            }
        }
        return isRight
    }

    private func matchesArgon2(_ secret: Secret, _ hash: PasswordHash) throws(HashingError) -> Bool {
        countArgon2()
        return try Argon2.matches(secret, hash)
    }

    private func spend(_ forms: [Secret]) throws(HashingError) {
        for form in forms {
            countArgon2()
            try Argon2.spend(form, under: policy)
        }
    }

    /// If a secret has more than 72 bytes, its bcrypt hash is kept. bcrypt never checks the bytes after the first 72.
    /// So a new hash of all bytes would lock out a user if the user types the later bytes differently (P8).
    private func shouldRehash(_ secret: Secret, _ hash: PasswordHash) -> Bool {
        if hash.scheme == .bcrypt, secret.count > SystemCrypt.bcryptLimit { return false }
        return policy.isWeaker(hash)
    }

    private func countArgon2() {
        argon2Counter.wrappingAdd(1, ordering: .relaxed)
    }
}
