import LoginStubs
import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileStoreSQLite
import SyncCost

/// Logs in one profile repeatedly, in two stores in alternation, and prints the median of each store as a line of JSON.
///
///     Logins FULL EMPTY USERNAME [ROUNDS]
///
/// Passwords are not hashed and writes are not synced. The measured time is therefore the work of the database and of
/// the threads that run it. An edit before each login changes the store, because a login must not rely on results of an
/// earlier one.
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
