// A service that keeps profiles. Run it with the path of a store, which is made when it is missing.

// [README
import ProfileCore
import ProfileStore

let path = CommandLine.arguments.dropFirst().first ?? "profiles.sqlite"
var options = ProfileRepository.Options()
options.createsMissing = true
let repository = try await ProfileRepository.open(at: path, options: options)
let draft = ProfileDraft(["username": "skboard", "password": "Sunflower7", "phone": "78761241", "address": "4 Elm St"])
let profile = try await repository.register(repository.validator.validate(draft, on: repository.today))
print(profile.username, "has id", profile.id, "and revision", profile.revision)
await repository.close()
// README]
