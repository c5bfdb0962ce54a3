internal import FuzzTargets
internal import Platform
internal import Synchronization

/// Runs libFuzzer on one target: `Fuzzer TARGET [OPTION OF LIBFUZZER]… [FOLDER OF INPUTS]…`.
@main enum Fuzzer {
    /// The target. libFuzzer calls a C function, which captures nothing.
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
            exit(runDriver(&count, &base, checkInput))
        }
    }
}

/// libFuzzer's main loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Checks one input, and traps if the check fails. libFuzzer then saves the input.
private func checkInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let isDone = DispatchSemaphoreStandIn()
    Task.detached {
        do {
            try await Fuzzer.target?.check(input)
        } catch {
            fatalError("\(error)")
        }
        isDone.signal()
    }
    isDone.wait()
    return 0
}

/// Blocks the thread of libFuzzer until the task has ended.
private final class DispatchSemaphoreStandIn: Sendable {
    private let descriptors: (CInt, CInt)
    init() {
        var pair: [CInt] = [0, 0]
        pipe(&pair)
        descriptors = (pair[0], pair[1])
    }
    func signal() { var byte: UInt8 = 0; write(descriptors.1, &byte, 1) }
    func wait() { var byte: UInt8 = 0; read(descriptors.0, &byte, 1); close(descriptors.0); close(descriptors.1) }
}
