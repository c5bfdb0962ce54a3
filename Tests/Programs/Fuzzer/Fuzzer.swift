internal import Dispatch
internal import FuzzTargets
internal import Platform

/// Runs libFuzzer on one target: `Fuzzer TARGET [OPTION OF LIBFUZZER]… [FOLDER OF INPUTS]…`.
///
/// The package has this program only if `PROFILES_FUZZ` is set; `make fuzz` does that.
@main enum Fuzzer {
    /// The target. libFuzzer calls a C function, which cannot capture it.
    fileprivate static let target = CommandLine.arguments.dropFirst().first.flatMap { FuzzTarget(rawValue: $0) }

    static func main() {
        guard target != nil else {
            print("usage: Fuzzer \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) [OPTION]… [FOLDER]…")
            exit(64)
        }
        let arguments = CommandLine.arguments.prefix(1) + CommandLine.arguments.dropFirst(2)
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        pointers.withUnsafeMutableBufferPointer { buffer in
            var count = CInt(buffer.count - 1)
            var base = buffer.baseAddress
            exit(runLibFuzzer(&count, &base, checkInput))
        }
    }
}

/// The main loop of libFuzzer.
@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Checks one input, and traps if the check fails. libFuzzer then keeps the input.
private func checkInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    // libFuzzer's thread waits, which no thread of the concurrency runtime may.
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await Fuzzer.target?.check(input) } catch { fatalError("\(error)") }
        isDone.signal()
    }
    isDone.wait()
    return 0
}
