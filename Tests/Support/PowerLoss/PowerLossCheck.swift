internal import Platform
package import ProfileTesting

/// Simulates power failures at moments of a recorded run, and compares the contents of the disk with the expected
/// contents.
///
/// The expected contents come from the run itself. They are the contents that a new process would find if the recorded
/// process had been killed after an event, without a power failure. So each store and each file has a sequence of
/// states. After a power failure, it must have one of these states. The state must not be older than at the latest
/// acknowledgement, and not newer than at the power failure.
package struct PowerLossCheck {
    private let run: RecordedRun
    private let name: String
    /// The number of moments at which the power was cut, and of different disks that were looked at.
    package private(set) var moments = 0
    package private(set) var images = 0
    /// The violations that were found, each with the moment and the loss.
    package private(set) var findings: [String] = []
    /// A further rule for the contents after each power failure. Returns a description of a violation, or nil.
    package var rule: @Sendable (FolderContents) -> String? = { _ in nil }
    /// For each part, the numbers of the events that change its contents, and the new contents.
    private var histories: [String: [(event: Int, contents: String?)]] = [:]
    private var known: [Int: FolderContents] = [:]
    private var looks: [Int: FolderContents] = [:]
    private var seen: Set<Int> = []
    private var acknowledged: [Int] = [0]

    package init(_ name: String, _ run: RecordedRun) async throws {
        (self.name, self.run) = (name, run)
        for (number, event) in run.events.enumerated() {
            if case .acknowledge = event { acknowledged.append(number + 1) }
        }
        // Each commit ends with a sync or a change of a name.
        var (start, before) = (0, try await killed(after: 0))
        var disk = run.before
        for (number, event) in run.events.enumerated() {
            try disk.apply(event)
            switch event {
            case .write, .truncate: continue
            case .acknowledge: if number + 1 < run.events.count { continue }
            default: break
            }
            let contents = try await killed(after: number + 1, disk)
            try await follow(from: start, before, to: number + 1, contents)
            (start, before) = (number + 1, contents)
        }
        for part in Set(known.values.flatMap { $0.parts.keys }) {
            var history: [(event: Int, contents: String?)] = []
            for (event, contents) in known.sorted(by: { $0.key < $1.key })
            where history.isEmpty || history[history.count - 1].contents != contents.parts[part] {
                history.append((event, contents.parts[part]))
            }
            histories[part] = history
        }
    }

    /// The numbers, for the output of the test.
    package var counts: String {
        "\(moments) moments, \(images) disks; \(run.events.count) calls recorded, \(known.count) kills"
    }

    /// The different contents of a file during the run, in order; nil where the file was not there.
    package func states(of part: String) -> [String?] { histories[part]?.map(\.contents) ?? [nil] }

    /// Returns the permitted contents of a file after `finished` acknowledged steps, without random values. If the next
    /// step has begun, the result also contains the states of this step.
    package func states(of part: String, afterSteps finished: Int, nextHasBegun: Bool) -> [String?] {
        let history = histories[part] ?? [(0, nil)]
        let last = acknowledged.count - 1
        let floor = acknowledged[min(finished, last)]
        let end = nextHasBegun ? acknowledged[min(finished + 1, last)] : floor
        let oldest = history.lastIndex { $0.event <= floor } ?? 0
        let newest = history.lastIndex { $0.event <= end } ?? 0
        return history[oldest...newest].map { $0.contents.map(FolderContents.comparable) }
    }

    /// The names of all files during the run.
    package var parts: Set<String> { Set(histories.keys) }

    /// Returns the contents that a new process finds if the recorded process was killed after `count` events.
    private mutating func killed(after count: Int, _ disk: Disk? = nil) async throws -> FolderContents {
        if let contents = known[count] { return contents }
        let image = CrashImage(try disk ?? run.disk(after: count), losing: .nothing)
        let contents: FolderContents
        if let earlier = looks[image.hashWithoutLocks] {
            contents = earlier
        } else {
            do { contents = try await look(at: image) } catch {
                throw FolderContents.Unsound(
                    description: "\(name), killed after event \(count): \(error); \(image.files.mapValues(\.count)); "
                        + recent(count))
            }
            looks[image.hashWithoutLocks] = contents
        }
        known[count] = contents
        return contents
    }

    /// Finds the events after `start`, up to `end`, that change the contents. Bisects the range.
    private mutating func follow(
        from start: Int, _ before: FolderContents, to end: Int, _ after: FolderContents
    ) async throws {
        guard end - start > 1, before != after else { return }
        let middle = (start + end) / 2
        let between = try await killed(after: middle)
        try await follow(from: start, before, to: middle, between)
        try await follow(from: middle, between, to: end, after)
    }

    private func look(at image: CrashImage, using isUsed: Bool = false) async throws -> FolderContents {
        let folder = try TemporaryFolder("power-loss")
        try image.write(to: folder.path)
        let contents = try await FolderContents(of: folder.path)
        if isUsed { try await FolderUse.registerOneMore(in: folder.path) }
        return contents
    }

    // MARK: Cutting the power

    /// Simulates power failures after events. After each event, up to `each` + 2 disks are checked: one that has lost
    /// all unsynced changes, one that has lost none, and others with random losses by `generator`. If `most` is not
    /// nil, only about `most` of all these disks are checked.
    package mutating func cutPower(
        _ generator: inout SeededGenerator, atMost most: Int?, each: Int
    ) async throws {
        var disk = run.before
        let usual = run.events.count * (each + 2)
        for count in 0...run.events.count {
            if count > 0 { try disk.apply(run.events[count - 1]) }
            var isLookedAt = false
            for number in 0..<(disk.hasPending ? each + 2 : 1) {
                let seed = generator.next()
                if let most, count < run.events.count, generator.next() % UInt64(max(usual, most)) >= UInt64(most) {
                    continue
                }
                let loss: CrashImage.Loss =
                    switch number {
                    case 0: .everything
                    case 1: .nothing
                    default: .some(SeededGenerator(seed: seed))
                    }
                isLookedAt = true
                try await check(CrashImage(disk, losing: loss), after: count, "\(loss)")
            }
            if isLookedAt { moments += 1 }
        }
    }

    private mutating func check(_ image: CrashImage, after count: Int, _ loss: String) async throws {
        guard seen.insert(image.hashValue).inserted || count == run.events.count else { return }
        images += 1
        let place = "\(name), after event \(count) of \(run.events.count), losing \(loss)"
        let found: FolderContents
        do {
            found = try await look(at: image, using: images % 3 == 0)
        } catch {
            findings.append("\(place): \(error); \(image.files.mapValues(\.count)); \(recent(count))")
            return
        }
        if let broken = rule(found) { findings.append("\(place): \(broken); \(recent(count))") }
        for part in Set(found.parts.keys).union(histories.keys) {
            let contents = found.parts[part]
            // Until the command has ended, it is permitted that an incomplete temporary file exists.
            if FolderContents.isTemporary(part), count < run.events.count { continue }
            guard let history = histories[part] else {
                findings.append("\(place): \(part) was never there; \(recent(count))")
                continue
            }
            let floor = acknowledged.last { $0 <= count } ?? 0
            let oldest = history.lastIndex { $0.event <= floor } ?? 0
            let newest = history.lastIndex { $0.event <= count } ?? 0
            guard !history[oldest...newest].contains(where: { $0.contents == contents }) else { continue }
            let state = history.lastIndex { $0.contents == contents }
            findings.append(
                """
                \(place): \(part) holds state \(state.map(String.init) ?? "none of \(history.count)") instead of \
                \(oldest)...\(newest): \(contents?.prefix(2_000) ?? "not there"); \
                \(image.files.mapValues(\.count)); \(recent(count))
                """)
        }
    }

    /// The events before a moment, for messages.
    private func recent(_ count: Int) -> String {
        run.events.prefix(count).suffix(12).map { event in
            switch event {
            case .write(let inode, let offset, let bytes): "write(\(inode), \(offset), \(bytes.count))"
            default: "\(event)"
            }
        }.joined(separator: " ")
    }
}
