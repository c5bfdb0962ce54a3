internal import Glibc

/// The metrics of the process that Linux provides in `/proc`. If a file cannot be read, its metrics are omitted.
enum ProcessMetrics {
    static let names = [
        "process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes",
        "process_start_time_seconds",
    ]

    static func write(to text: inout ExpositionText) {
        let process = statistics()
        if let process, let user = number(process, 14), let system = number(process, 15) {
            let seconds = Double(user + system) / Double(ticksPerSecond)
            text.begin(names[0], .counter, help: "User and system time of the process in seconds.")
            text.add(names[0], labels: "", value: ExpositionText.number(seconds))
        }
        if let open = openFiles() {
            text.begin(names[1], .gauge, help: "Open file descriptors of the process.")
            text.add(names[1], labels: "", value: String(open))
        }
        if let pages = process.flatMap({ number($0, 24) }) {
            text.begin(names[2], .gauge, help: "Resident memory of the process in bytes.")
            text.add(names[2], labels: "", value: String(pages * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))))
        }
        if let ticks = process.flatMap({ number($0, 22) }), let boot = bootTime {
            text.begin(names[3], .gauge, help: "Start of the process in seconds since 1970.")
            text.add(
                names[3], labels: "",
                value: ExpositionText.number(Double(boot) + Double(ticks) / Double(ticksPerSecond)))
        }
    }

    private static let ticksPerSecond = max(1, sysconf(Int32(_SC_CLK_TCK)))

    /// The time at which the system started, in seconds since 1970. It is read only once, because Linux changes this
    /// value when the clock is set.
    private static let bootTime: UInt64? = contents("/proc/stat").flatMap { text in
        text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { UInt64($0.dropFirst(6)) }
    }

    /// Returns the fields of `/proc/self/stat` behind the command, which may contain spaces: from the third field on.
    private static func statistics() -> [Substring]? {
        guard let text = contents("/proc/self/stat"), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// Returns a field by its number in proc(5).
    private static func number(_ fields: [Substring], _ field: Int) -> UInt64? {
        fields.indices.contains(field - 3) ? UInt64(fields[field - 3]) : nil
    }

    private static func openFiles() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        // The directory itself, "." and ".." do not count.
        var count = -3
        while readdir(directory) != nil { count += 1 }
        return max(0, count)
    }

    private static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let size = buffer.count
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, size) }
            if count < 0 { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
