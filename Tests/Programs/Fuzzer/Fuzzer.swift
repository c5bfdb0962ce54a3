internal import Dispatch
internal import FuzzTargets
internal import Platform

/// Runs libFuzzer on one format: `Fuzzer FORMAT [OPTION OF LIBFUZZER]… [FOLDER OF INPUTS]…`.
///
/// The package has this program only if `PROFILES_FUZZ` is set; `make fuzz` does that.
@main enum Fuzzer {
    /// The format. libFuzzer calls a C function, which cannot capture it.
    fileprivate static let target = (given ?? inherited).flatMap { FuzzTarget(rawValue: $0) }

    private static var given: String? {
        CommandLine.arguments.dropFirst().first { word in FuzzTarget.allCases.contains { $0.rawValue == word } }
    }

    /// libFuzzer starts this program again for some jobs, such as a merge, and gives it only its own options.
    private static var inherited: String? { getenv(variable).map { String(cString: $0) } }
    private static let variable = "PROFILES_FUZZ_FORMAT"

    static func main() {
        guard let target else {
            print("usage: Fuzzer \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) [OPTION]… [FOLDER]…")
            exit(64)
        }
        setenv(variable, target.rawValue, 1)
        let arguments = CommandLine.arguments.filter { $0 != given }
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
    // This blocks libFuzzer's thread, which is allowed: only threads of the concurrency runtime must not block.
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await Fuzzer.target?.check(input) } catch { fatalError("\(error)") }
        isDone.signal()
    }
    isDone.wait()
    return 0
}
