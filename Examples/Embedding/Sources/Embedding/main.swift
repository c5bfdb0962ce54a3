// A service that keeps profiles. Run it with the path of a store, which is made when it is missing.

// [README
import ProfileCore
import ProfileStore
import ProfileStoreSQLite

let path = CommandLine.arguments.dropFirst().first ?? "profiles.sqlite"
var options = ProfileRepository.Options()
options.createsMissing = true
try await withRepository(at: path, options: options) { repository in
    let draft = ProfileDraft([
        "username": "skboard", "password": "Sunflower7", "phone": "78761241", "address": "4 Elm St",
    ])
    _ = try await repository.register(draft)
    if let found = try await repository.profile(username: "SKBOARD") {
        print(found.username, "has id", found.id, "and revision", found.revision)
    }
}
// README]
try await Service.run(at: path)
