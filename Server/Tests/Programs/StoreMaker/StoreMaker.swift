import Foundation
import ProfileCore
import ProfileStore
import ProfileStoreSQLite

/// Makes a store for the programs that test the service from outside: `StoreMaker STORE SCHEMA`.
///
/// Prints a name and a token on each line: one token for each scope of the service, one with a scope that the service
/// does not know, one that was revoked, and one that has expired.
@main
struct StoreMaker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let rules = FileManager.default.contents(atPath: arguments[2]) else {
            FileHandle.standardError.write(Data("StoreMaker takes the paths of a new store and a schema.\n".utf8))
            exit(64)
        }
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = try ProfileSchema(parsing: String(decoding: rules, as: UTF8.self))
        let repository = try await ProfileRepository.open(at: arguments[1], options: options)
        for word in ["read", "support", "write", "admin", "reports"] {
            guard let scope = AccessScope(word) else { fatalError("\(word) is no scope") }
            try await add(word, [scope], to: repository)
        }
        let revoked = try await add("revoked", [.admin], to: repository)
        try await repository.tokens.revoke(revoked)
        try await add("expired", [.admin], validFor: .milliseconds(1), to: repository)
        await repository.close()
    }

    @discardableResult
    private static func add(
        _ word: String, _ scopes: Set<AccessScope>, validFor validity: Duration? = nil,
        to repository: ProfileRepository
    ) async throws -> TokenID {
        guard let name = AccountLabel(word) else { fatalError("\(word) is no name") }
        let issued = try await repository.tokens.create(name, scopes: scopes, validFor: validity)
        print(word, issued.text)
        return issued.value.id
    }
}
