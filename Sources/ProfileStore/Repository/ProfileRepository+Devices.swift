internal import ProfileCore

extension ProfileRepository {
    /// Lists and ends the devices on which people have logged in.
    public var devices: Devices { Devices(repository: self) }

    /// The devices on which people have logged in; see ``KnownDevice``.
    public struct Devices: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Devices {
    /// Returns the devices of a profile. The device with the latest login comes first.
    ///
    /// - Throws: `notFound`, …
    public func list(of username: String) async throws(ProfileStoreError) -> [KnownDevice] {
        try await repository.call { () throws(ProfileStoreError) in
            let list = TokenList.devices(of: try await repository.id(of: username), at: repository.options.now())
            return try await repository.ask(.listDevices, rows: \.count, await repository.engine.tokens(list))
                .compactMap(KnownDevice.init).sorted { ($1.lastUsedAt, $0.id) < ($0.lastUsedAt, $1.id) }
        }
    }

    /// Ends a device: the store forgets the token of the device. Later attempts from this device are counted for the
    /// username. The sessions on the device continue.
    ///
    /// - Returns: The device; nil if no device has this id.
    @discardableResult
    public func end(_ id: TokenID) async throws(ProfileStoreError) -> KnownDevice? {
        try await repository.end(.one(.device, id), .endDevice)?.first.flatMap(KnownDevice.init)
    }

    /// Ends every device of a profile. The sessions continue.
    ///
    /// - Returns: The number of ended devices.
    /// - Throws: `notFound`, `busy`, …
    @discardableResult
    public func endAll(of username: String) async throws(ProfileStoreError) -> Int {
        try await repository.endAll(.device, of: username, .endDevice)
    }

    /// Returns the stored token of a device that has presented this token; nil if it is unknown or has expired.
    func find(_ token: Secret?) async throws(ProfileStoreError) -> StoredToken? {
        guard let token, let hash = TokenHash(of: token, .device) else { return nil }
        return try await repository.ask(
            .lookUpDevice, rows: \.rowCount, await repository.engine.token(hash, at: repository.options.now()))
    }
}
