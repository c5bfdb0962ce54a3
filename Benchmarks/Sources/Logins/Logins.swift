import LoginStubs
import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileStoreSQLite
import SyncCost

/// Logs one profile in again and again, in two stores that take turns, and prints the median of each as a line of JSON.
///
///     Logins FULL EMPTY USERNAME [ROUNDS]
///
/// Nothing is hashed and nothing is synced, so that what is left is the work of the database, and of the threads that hand
/// it over. Before each login somebody changes the store: what a login has found out once may not be true any more.
@main struct Logins {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { throw Failure("usage: Logins FULL EMPTY USERNAME [ROUNDS]") }
        let rounds = arguments.count > 4 ? Int(arguments[4]) ?? 0 : 500
        guard rounds > 0 else { throw Failure("ROUNDS is a number above 0") }
        guard sync_cost_vfs_register() == 0 else { throw Failure("there is no VFS without syncs") }

        let username = arguments[3]
        var stores: [(name: String, repository: ProfileRepository)] = []
        for (name, path) in zip(["login, full store", "login, empty store"], arguments[1...2]) {
            stores.append((name, try await ProfileRepository.open(at: path)))
        }
        var seconds = [[Double]](repeating: [], count: stores.count)
        // The first round only warms the caches.
        for round in 0...rounds {
            for (index, store) in stores.enumerated() {
                _ = try await store.repository.edit(username) { $0["address"] = "\(round) Main St" }
                let service = LoginService(store.repository)
                let password = Secret("aK8oio")
                let start = ContinuousClock.now
                _ = try await service.logIn(username: username, password: password)
                if round > 0 { seconds[index].append((ContinuousClock.now - start) / .seconds(1)) }
            }
        }
        for (store, times) in zip(stores, seconds) {
            let median = times.sorted()[times.count / 2]
            print(#"{"name": "\#(store.name)", "seconds": \#(median), "rounds": \#(times.count)}"#)
            await store.repository.close()
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
