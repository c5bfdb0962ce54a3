import ProfileCore
@testable import ProfileStore
import Testing
import Watchdog

@Suite(.watched) struct ProfileSearchTests {
    @Test(
        arguments: [
            ([5, 6, 9], false, nil), ([9, 6, 5], true, nil), ([], false, nil),
            ([5, 5], false, .outOfOrder(5, after: 5)), ([5, 5], true, .outOfOrder(5, after: 5)),
            ([5, 4], false, .outOfOrder(4, after: 5)), ([5, 6], true, .outOfOrder(6, after: 5)),
        ] as [([Int64], Bool, ProfileStoreError?)])
    func `a page whose ids are repeated or not in their order is damage`(
        ids: [Int64], isReversed: Bool, error: ProfileStoreError?
    ) throws {
        #expect(try self.error(of: ProfileSearch(isReversed: isReversed), ids) == error)
    }

    @Test(arguments: [false, true])
    func `a page that contains the profile of its cursor is damage`(isReversed: Bool) throws {
        let search = ProfileSearch(isReversed: isReversed, after: ProfileCursor(id: 7))
        #expect(try error(of: search, [7]) == .outOfOrder(7, after: 7))
        #expect(try error(of: search, [isReversed ? 6 : 8]) == nil)
    }

    private func error(of search: ProfileSearch, _ ids: [Int64]) throws -> ProfileStoreError? {
        let time = Timestamp(millisecondsSince1970: 0)
        let profiles = ids.map { id in
            Profile(
                id: id, revision: 1, createdAt: time, updatedAt: time, schemaVersion: 1, issues: [], hasPassword: false,
                schema: .standard, values: ProfileSchema.standard.openFields.map { _ in nil })
        }
        do throws(ProfileStoreError) {
            try search.requireOrder(of: ProfilePage(profiles: profiles, next: nil))
            return nil
        } catch {
            return error
        }
    }
}
