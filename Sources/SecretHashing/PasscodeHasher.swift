internal import Platform
public import ProfileCore
internal import Synchronization
internal import Threads

/// Hashes and verifies passwords and passcodes (P6–P8, P10, P11).
///
/// Our own hashes are Argon2id under the policy, over the NFC form of the secret. Verification also understands every
/// hash that `PasswordHash` does. All work happens on the hasher's own threads; a program needs one hasher.
public final class PasscodeHasher: Sendable {
    /// The work that goes into a hash.
    public let policy: HashingPolicy

    package let pool: HashingPool
    private let threads: Int
    /// Called after each hash; nil if there is no observer.
    private let finished: (@Sendable (HashingWork) -> Void)?
    private let argon2Counter = Atomic(0)

    /// How many Argon2 hashes were computed so far, for whatever reason.
    package var argon2Runs: Int { argon2Counter.load(ordering: .relaxed) }

    /// Prepares a hasher; its threads start with the first work.
    ///
    /// - Parameters:
    ///   - policy: the work that goes into a hash.
    ///   - threads: how many hashes may run at once, each with the policy's memory; the number of cores by default.
    ///   - queueLimit: how many may wait for a thread; 64 for each by default.
    /// - Throws: `HashingError.unavailable` when libsodium cannot be initialised.
    public convenience init(
        policy: HashingPolicy = .standard, threads: Int? = nil, queueLimit: Int? = nil
    ) throws(HashingError) {
        try self.init(policy: policy, threads: threads, queueLimit: queueLimit, finished: nil)
    }

    /// Prepares a hasher that tells of each hash, where the task that waits for it goes on.
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
    /// - Throws: `HashingError`: `.busy` at once when too many wait.
    public func hash(_ secret: Secret) async throws(HashingError) -> PasswordHash {
        try await work(isVerification: false, hasSucceeded: { _ in true }) { () throws(HashingError) in
            self.countArgon2()
            return try Argon2.hash(NFC.form(of: secret), under: self.policy)
        }
    }

    /// Hashes many secrets, with every thread busy but only two hashes a thread in the queue.
    ///
    /// - Parameters:
    ///   - secrets: the secrets.
    ///   - progress: is told how many are done, after each.
    /// - Returns: the hashes, in the order of the secrets.
    /// - Throws: `HashingError`: `.busy` only when others fill the queue so that not a single one gets in.
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
                            // A name of its own: with the call inside the tuple, Swift 6.3.1 with -O returns a wrong
                            // index now and then.
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
                    // Others use the hasher too: this one goes again when one of ours is through.
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

    /// Says whether a secret is the one that was hashed.
    ///
    /// Nothing tells an unknown user from a wrong secret: with no hash, as many are computed under the policy as a wrong
    /// secret would have cost. A wrong guess at a hash that is not under the policy's own parameters costs as many
    /// besides, whatever its own cost was (P10).
    ///
    /// An Argon2id hash may be ours, over the NFC form, or brought, over the bytes as they were typed. Where these two
    /// differ both are tried, always both, so that the time tells what was typed but not which was right. Other schemes
    /// are never ours and get the bytes as typed.
    ///
    /// - Parameters:
    ///   - secret: what was typed.
    ///   - hash: the stored hash; nil for a user that does not exist.
    /// - Returns: whether it is, and whether the hash should be replaced.
    /// - Throws: `HashingError`: `.busy` at once when too many wait.
    public func verify(_ secret: Secret, against hash: PasswordHash?) async throws(HashingError) -> Verification {
        try await work(isVerification: true, hasSucceeded: { $0 != .wrong }) { () throws(HashingError) in
            try self.judge(secret, against: hash)
        }
    }

    /// What a verification found.
    public enum Verification: Sendable, Equatable {
        /// Another secret, or no such user.
        case wrong
        /// The secret; `rehash` says that the hash is weaker than the policy's and should be replaced, by
        /// compare-and-swap so that a concurrent edit wins (P7).
        case right(rehash: Bool)
    }

    /// Computes on one of the threads, and tells of it.
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
        // A wrong guess costs what one at our own hash does. Without the memory for that nothing is looked at: an attempt
        // that ends for want of memory does not count, and so must not tell anything about the secret.
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

    /// Tries every form, always. Once the first was computed something is known of the secret, so that from then on a lack
    /// of memory is a mismatch.
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

    /// A bcrypt hash of more than 72 bytes stays: what its owner typed after them was never checked, and a hash of all
    /// of it would lock out whoever types the rest differently (P8).
    private func shouldRehash(_ secret: Secret, _ hash: PasswordHash) -> Bool {
        if hash.scheme == .bcrypt, secret.count > SystemCrypt.bcryptLimit { return false }
        return policy.isWeaker(hash)
    }

    private func countArgon2() {
        argon2Counter.wrappingAdd(1, ordering: .relaxed)
    }
}
