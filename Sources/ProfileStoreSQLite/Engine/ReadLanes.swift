internal import Threads

/// The threads that read what takes long, in lanes, each with a queue of its own.
///
/// A lane keeps what is usually quick from waiting behind what is slow. A read that waits leaves at its deadline, and a lane
/// in whose queue too many wait refuses further ones. A read that has begun is not ended: its task may be cancelled.
struct ReadLanes: Sendable {
    /// What a read is about.
    enum Lane: CaseIterable {
        /// How many profiles there are of some kind.
        case count
        /// A page of a search that may have to look at every profile.
        case search
        /// One of many pages of all profiles: of an export, a revalidation, a copy, an import that writes nothing.
        case pages
        /// All of the file at once: a check, a backup, statistics.
        case file

        /// The most reads that run at once.
        var threads: Int {
            switch self {
            case .search: 4
            case .count, .pages, .file: 2
            }
        }
    }

    private let counts: ThreadPool
    private let searches: ThreadPool
    private let pages: ThreadPool
    private let file: ThreadPool

    /// Prepares the lanes. A lane's threads start when there is work for them.
    ///
    /// - Parameter most: The most reads that wait in each lane.
    init(mostWaiting most: Int) {
        func pool(_ lane: Lane) -> ThreadPool { ThreadPool(threads: lane.threads, queueLimit: most) }
        counts = pool(.count)
        searches = pool(.search)
        pages = pool(.pages)
        file = pool(.file)
    }

    subscript(lane: Lane) -> ThreadPool {
        switch lane {
        case .count: counts
        case .search: searches
        case .pages: pages
        case .file: file
        }
    }
}
