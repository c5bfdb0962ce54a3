#if Postgres
    internal import ProfileCore
    internal import ProfileStore
    internal import ProfileStorePostgres
    internal import TextLayout

    // Stores in PostgreSQL databases.
    extension CheckCommand {
        /// Checks whether the database keeps committed writes, and prints the result. Returns whether the store is
        /// sound.
        func checkCluster(_ repository: ProfileRepository) async throws -> Bool {
            let check = try await repository.checkCluster()
            let statistics = try await repository.statistics()
            let unjudged = try await repository.rules.countUnjudged()
            switch global.format {
            case .text:
                var block = TextBlock()
                block.add(statistics, unjudged: unjudged, place: repository.place)
                block.add("Size", "\(statistics.fileBytes) bytes")
                block.add(check)
                try Output.standard.write(block.text)
            case .json:
                let contents = Self.contents(statistics, unjudged, repository.place, isSound: check.isSound)
                try Output.standard.print(
                    contents.merging(["bytes": .number(statistics.fileBytes)]).merging(check.json))
            }
            return check.isSound
        }
    }

    extension TextBlock {
        fileprivate mutating func add(_ check: ClusterCheck) {
            addGap()
            add("Server", check.server)
            add("PostgreSQL", check.serverVersion)
            add("Migration", String(check.version))
            add("Quorum", check.quorumText)
            add("Writes", check.writeText)
            if check.isLoading { add("Load", "UNFINISHED: no profile can be written before its indexes are made") }
            for standby in check.standbys { add("Standby", standby.text) }
            addGap()
            for setting in check.settings {
                add(setting.name, (setting.value.isEmpty ? "–" : setting.value) + (setting.isAsWanted ? "" : "  WRONG"))
            }
        }
    }

    extension ClusterCheck {
        fileprivate var quorumText: String {
            guard !standbys.isEmpty else {
                return "none: no standby is connected, so only this server has the data"
            }
            return hasQuorum ? "yes: commits wait for a standby" : "MISSING: commits wait for no standby"
        }

        fileprivate var writeText: String {
            guard let writeProblem else { return "ok: a test write was committed" }
            return "FAIL: " + (CommandFailure(writeProblem).lines.first ?? "")
        }

        fileprivate var json: JSONValue {
            [
                "server": .string(server), "server_version": .string(serverVersion), "migration": .number(version),
                "quorum": .bool(hasQuorum), "write_problem": writeProblem.map { .string($0.code.rawValue) } ?? .null,
                "unfinished_load": .bool(isLoading),
                "standbys": .array(
                    standbys.map { standby in
                        [
                            "name": .string(standby.name), "state": .string(standby.state),
                            "kind": .string(standby.kind), "lag_bytes": .number(standby.lagBytes),
                            "lag_milliseconds": standby.lagMilliseconds.map { .number($0) } ?? .null,
                        ]
                    }),
                "settings": .array(
                    settings.map {
                        ["name": .string($0.name), "value": .string($0.value), "as_wanted": .bool($0.isAsWanted)]
                    }),
            ]
        }
    }

    extension ClusterCheck.Standby {
        fileprivate var text: String {
            let lag = "\(lagBytes) bytes behind" + (lagMilliseconds.map { ", \($0) ms" } ?? "")
            return "\(name), \(state), \(kind), \(lag)"
        }
    }
#endif
