// A service that keeps profiles. Run it with the path of a store, which is made when it is missing.
import ProfileCore
import ProfileStore

// [README
var options = ProfileRepository.Options()
options.createsMissing = true
let repository = try await ProfileRepository.open(at: CommandLine.arguments[1], options: options)
let draft = ProfileDraft([
    "username": "skboard", "password": "Sunflower7", "phone": "78761241", "address": "12 Main Street Apt 5",
])
let valid = try repository.validator.validate(draft, on: repository.today)
let profile = try await repository.register(valid)
print(profile.username, "has id", profile.id, "and revision", profile.revision)
await repository.close()
// README]
