/// The limits of a shared transaction: the maximum number of its jobs, and the period during which jobs can join.
package struct SharingLimit: Sendable {
    package let jobs: Int
    /// The period during which jobs can join, from the start of the transaction. A writer in another process may have
    /// to wait longer for the lock, by at most this period.
    package let time: Duration

    package init(jobs: Int, time: Duration) {
        self.jobs = jobs
        self.time = time
    }

    /// Allows up to 64 jobs to share one sync. Jobs can join for 2 ms, which is less than the time of two syncs on most
    /// disks.
    package static let usual = SharingLimit(jobs: 64, time: .milliseconds(2))
}

// Jobs that wait at the same time share a transaction, so one commit with one sync makes all of them durable.
extension Connection {
    /// Runs a job in a transaction. Then runs the jobs that `next` returns, one after another, in the same transaction.
    ///
    /// The first job runs without a savepoint, because its failure cannot undo an earlier job. Each job that joins runs
    /// under a savepoint, so its failure undoes only that job. If the commit fails, or SQLite rolls back by itself (as
    /// on a full disk), the whole transaction is undone. If the transaction had more than one job, each job then runs
    /// again in its own transaction. So no caller receives the error of another job.
    ///
    /// - Returns: The closures that resume the callers. The closures are returned after the commit.
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
                // After an automatic rollback the connection is in autocommit mode. In this mode, a savepoint would
                // begin a new transaction. So no more jobs join, and the commit fails.
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

    /// Runs a single job, either in its own transaction or without a transaction.
    func runAlone(_ job: WriteJob) -> WriteJob.Answer {
        terms.waitLimit = job.wait
        defer { rollBackIfOpen() }
        do {
            return try job.sharesTransaction ? writeTransaction { try job.body(self) } : job.body(self)
        } catch {
            return job.answer(to: error)
        }
    }

    /// Runs a job under a savepoint of the open transaction.
    private func join(_ job: WriteJob) -> WriteJob.Answer {
        do { return try savepoint { try job.body(self) } } catch { return job.answer(to: error) }
    }
}
