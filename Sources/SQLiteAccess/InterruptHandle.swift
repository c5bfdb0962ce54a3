import CSQLite
import Synchronization

/// Stops what a connection is doing, from any thread; after the connection has closed it does nothing.
package struct InterruptHandle: Sendable {
    private let interrupter: Interrupter

    init(_ interrupter: Interrupter) { self.interrupter = interrupter }

    /// Makes the statements that are running on the connection fail with `interrupt`.
    package func interrupt() { interrupter.interrupt() }
}

/// The connection's address for as long as it is open; `sqlite3_interrupt` must not be given any other.
final class Interrupter: Sendable {
    private let address: Mutex<UInt>

    init(_ database: OpaquePointer) { address = Mutex(UInt(bitPattern: database)) }

    func interrupt() {
        address.withLock { address in
            if let database = OpaquePointer(bitPattern: address) { sqlite3_interrupt(database) }
        }
    }

    func disarm() { address.withLock { $0 = 0 } }
}
