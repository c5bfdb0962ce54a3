// A service that keeps profiles: swift run Embedding PATH
// [README]
import ProfileCore
import ProfileStore

let repository = try await ProfileRepository.open(at: CommandLine.arguments[1])
var draft = ProfileDraft()
draft["username"] = "skboard"
draft["password"] = "Sunflower7"
draft["phone"] = "78761241"
draft["address"] = "12 Main Street Apt 5"
let profile = try await repository.register(draft)
print(profile["username"] ?? "", profile["phone"] ?? "", "revision \(profile.revision)")
// [/README]
