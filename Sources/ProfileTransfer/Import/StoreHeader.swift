package import ProfileCore

/// Checks whether a record is the header of a file for a store. Compares its cells with the names of columns that an
/// import into the store knows.
package struct StoreHeader: Sendable {
    /// How well a record suits as the header.
    enum Fit: Sendable {
        /// No cell is the name of a field's column. Or an import refuses the record, and at most half of its cells are
        /// names of known columns.
        case none
        /// An import takes the record, but most of its cells are unknown columns.
        case possible
        /// An import refuses the record, although most of its cells are names of columns.
        case flawed
        /// The record has all columns that an import needs, and most of its cells are known.
        case header
    }

    private let schema: ProfileSchema
    private let options: ImportOptions
    private let uses: ColumnUses

    package init(_ schema: ProfileSchema, _ options: ImportOptions) {
        self.schema = schema
        self.options = options
        uses = ColumnUses(schema, options)
    }

    /// The number of lines in which the header is searched. If the schema has a password, only the first line is
    /// searched: later lines may contain passwords, and the text of their cells would stay in memory.
    var mostLines: Int { schema.hasPassword ? 1 : 40 }

    func fit(_ cells: [String]) -> Fit {
        let filled = cells.map(\.trimmed).filter { !$0.isEmpty }
        let fields = filled.count { uses.use(of: $0).isOfField }
        guard fields > 0 else { return .none }
        let isKnown = (fields + filled.count(where: uses.isIgnored)) * 2 > filled.count
        do throws(ImportError) {
            _ = try ImportColumns(of: TableHeader(cells: cells), schema: schema, options: options)
        } catch .ignoredColumnMissing {
            // The record may be the header in spite of this error. The import reports the error.
        } catch {
            return isKnown ? .flawed : .none
        }
        return isKnown ? .header : .possible
    }
}
