/// How many jobs may share a transaction, and for how long others join it.
package struct SharingLimit: Sendable {
    package let jobs: Int
    /// Since the transaction began. Who waits for the lock in another process waits for so much longer at most.
    package let time: Duration

    package init(jobs: Int, time: Duration) {
        self.jobs = jobs
        self.time = time
    }

    /// Some dozen jobs for one sync, in less time than most disks take for two.
    package static let usual = SharingLimit(jobs: 64, time: .milliseconds(2))
}

// Jobs that wait at the same time share a transaction: one commit, and so one sync, keeps them all.
extension Connection {
    /// Runs a job in a transaction, and in the same one those that `next` gives, in this order.
    ///
    /// The first has nobody before it whom its failure could undo, so it runs as it does alone. Each that joins runs under
    /// a savepoint: if it fails, it alone is undone. Where everything is undone, since the commit failed or SQLite has
    /// rolled back by itself (as on a full disk), nothing has happened yet, and each runs in a transaction of its own, so
    /// that nobody is told of another's failure.
    ///
    /// - Returns: What tells each caller, once all that it says is kept.
    func runTogether(
        _ first: WriteJob, within limit: SharingLimit, joinedBy next: () -> WriteJob?
    ) -> [WriteJob.Answer] {
        terms.waitLimit = first.wait
        var jobs = [first]
        let answers: [WriteJob.Answer]
        do {
            answers = try commit {
                let end = ContinuousClock.now + limit.time
                var answers = [try first.body(self)]
                // Once all is undone there is nothing to join, and the commit fails: a savepoint would begin a transaction.
                while !isAutocommit, jobs.count < limit.jobs, .now < end, let job = next() {
                    jobs.append(job)
                    answers.append(join(job))
                }
                return answers
            }
        } catch {
            return jobs.count == 1 ? [first.answer(to: error)] : jobs.map { runAlone($0) }
        }
        do { try requireInPlace() } catch { return jobs.map { $0.answer(to: error) } }
        return answers
    }

    /// Runs a job that has the connection for itself.
    func runAlone(_ job: WriteJob) -> WriteJob.Answer {
        terms.waitLimit = job.wait
        defer { rollBackIfOpen() }
        do {
            return try job.sharesTransaction ? writeTransaction { try job.body(self) } : job.body(self)
        } catch {
            return job.answer(to: error)
        }
    }

    /// Runs a job in the transaction of others.
    private func join(_ job: WriteJob) -> WriteJob.Answer {
        do { return try savepoint { try job.body(self) } } catch { return job.answer(to: error) }
    }
}
