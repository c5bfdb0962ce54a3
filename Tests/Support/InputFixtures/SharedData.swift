internal import Platform
package import Testing

/// Real files that are not part of the project. Tests use them in addition to the files that the project makes.
///
/// `PROFILES_SHARED_DATA` names their folder. If it is not set, the folder is `shared/data` in one of the folders above
/// this source file.
package enum SharedData {
    /// The sitting members of the United States Congress, 537 of them in 36 columns.
    package static let legislators = path(of: "legislators-current.csv")

    /// Skips a test where a file is not there.
    package static func isThere(_ path: String?) -> ConditionTrait {
        .enabled(if: path != nil, "shared/data is not beside the project; set PROFILES_SHARED_DATA")
    }

    private static func path(of name: String) -> String? {
        if let folder = getenv("PROFILES_SHARED_DATA") { return readable("\(String(cString: folder))/\(name)") }
        var folder = Substring(#filePath)
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if let path = readable("\(folder)/shared/data/\(name)") { return path }
        }
        return nil
    }

    private static func readable(_ path: String) -> String? { access(path, R_OK) == 0 ? path : nil }
}
