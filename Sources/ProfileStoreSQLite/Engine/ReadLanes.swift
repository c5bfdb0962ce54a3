internal import Threads

/// The threads for long reads, grouped into lanes. Each lane has its own threads and its own queue.
///
/// Because of the lanes, quick reads do not wait behind slow reads. A waiting read fails at its deadline, and a lane
/// with a full queue refuses further reads. A read that has begun ends if its task is cancelled. A running count or
/// search also ends if its deadline has passed and another read waits in its lane; see ``Lane/yields``.
struct ReadLanes: Sendable {
    /// The kind of a read.
    enum Lane: CaseIterable {
        /// Counts profiles that match a condition.
        case count
        /// Reads a page of a search that may have to look at every profile.
        case search
        /// Reads a page for a job that reads all profiles page by page: an export, a revalidation or a copy. Also reads
        /// the profiles for the preview of an import.
        case pages
        /// Reads the whole file at once, for a check, a backup or statistics.
        case file

        /// Whether a read ends if its deadline has passed and another read waits. Without this rule, a few slow reads
        /// could occupy the lane. While no other read waits, a read may take any time, for example a search through a
        /// large store.
        ///
        /// In the other lanes, a read does not end in this way. Each of these reads is a part of a long operation. If
        /// one read ended early, the whole operation would have to begin again.
        var yields: Bool { self == .count || self == .search }

        /// The maximum number of reads that run at the same time.
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

    /// Creates the lanes. The threads of a lane start when the lane has work.
    ///
    /// - Parameter most: The maximum number of waiting reads in each lane.
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
