import Dispatch
import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite

/// Runs steps on a store, for tests that record or break the calls below it. It is not part of any product.
///
///     DiskExerciser run FOLDER STEP…
///     DiskExerciser faults
///
/// `run` writes `done NUMBER` when a step has returned, so the record of its calls shows when each step was
/// acknowledged.
///
/// `faults` reads lines `KIND AFTER TIMES FOLDER STEP…` from standard input. It runs the steps of a line while calls
/// fail, closes the repository, and answers `FAILED-CALLS FINISHED-STEPS ERROR`. The step `arm` arms the faults later
/// than at the first step.
@main enum DiskExerciser {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "run" where words.count > 2:
            let work = StoreWork(in: words[1])
            for (number, step) in words.dropFirst(2).enumerated() {
                do { try await work.run(step) } catch { return fail("\(step): \(error)") }
                say("done \(number)")
            }
            await work.close()
            say("closed")
        case "faults":
            guard let faults = Faults() else { return fail("The library DiskFaults is not loaded.") }
            while let line = readLine() { await answer(line, faults) }
        default: fail("DiskExerciser run FOLDER STEP… | faults")
        }
    }

    private static func answer(_ line: String, _ faults: Faults) async {
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 3, let kind = Int32(words[0]), let after = Int64(words[1]), let times = Int64(words[2])
        else { return say("0 0 a line without meaning") }
        let work = StoreWork(in: words[3])
        let steps = words.dropFirst(4)
        var finished = 0
        var outcome = "-"
        if !steps.contains("arm") { faults.arm(kind, after, times) }
        do {
            for step in steps {
                if step == "arm" { faults.arm(kind, after, times) } else { try await work.run(step) }
                finished += 1
            }
        } catch {
            outcome = "\(type(of: error)) \(error)".replacing("\n", with: " ")
        }
        await work.close()
        say("\(faults.disarm()) \(finished) \(outcome)")
    }

    private static func fail(_ text: String) {
        say("error: \(text)")
        exit(1)
    }

    /// Writes a line at once, and not through a stream: the library sees only calls of `write`.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// The functions of the library that was loaded into this process.
private struct Faults {
    let arm: @convention(c) (Int32, Int64, Int64) -> Void
    let disarm: @convention(c) () -> Int64

    init?() {
        guard let arm = dlsym(nil, "disk_faults_arm"), let disarm = dlsym(nil, "disk_faults_disarm") else { return nil }
        self.arm = unsafeBitCast(arm, to: (@convention(c) (Int32, Int64, Int64) -> Void).self)
        self.disarm = unsafeBitCast(disarm, to: (@convention(c) () -> Int64).self)
    }
}
