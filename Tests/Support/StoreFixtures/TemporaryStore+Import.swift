internal import Platform
package import ProfileStore
internal import ProfileTesting
package import ProfileTransfer

extension TemporaryStore {
    /// Imports a file of people with these names, all with one hash.
    package func importPeople(
        _ names: [String], hash: String = People.policyHash, into repository: ProfileRepository,
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> ImportReport {
        let path = directory + "/people.csv"
        let rows = names.map { "\($0),78761241,12 Main St,\"\(hash)\"\n" }
        try SmallFile.write("username,phone,address,password_hash\n" + rows.joined(), to: path)
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var options = ImportOptions()
        change(&options)
        let input = ImportInput(descriptor: descriptor, name: path, byteCount: nil)
        return try await ProfileImporter(repository: repository, options: options).run(input)
    }
}
