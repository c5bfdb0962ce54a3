internal import ProfileCore
internal import ProfileTransfer

/// The evidence from the values of one column, including the type hypotheses that the values have not refuted.
///
/// Each worker collects the evidence of its batch. Merging is associative: the result depends on the order of the
/// batches, but not on the order of the merges.
struct ColumnEvidence: Sendable {
    /// The number of values, without empty cells and tokens.
    private(set) var values = 0
    /// The number of empty cells.
    private(set) var empty = 0
    /// The number of cells that contain only white space, in a column of secrets. Such cells can be passwords, but not
    /// hashes.
    private(set) var blank = 0
    /// The cells that hold a token, by the index of the token in ``MissingToken/all``. A token is a text that may stand
    /// for a missing value.
    private(set) var tokens: [Int: CountedLines] = [:]
    private(set) var text = TextEvidence()
    private(set) var shape = ShapeEvidence.noValues
    private(set) var distinct = FewValues()
    private(set) var extremes = ExtremeValues()
    private(set) var order = RowOrder()
    private(set) var hypotheses = LivingHypotheses()
    /// The first two distinct values.
    private(set) var examples: [[UInt8]] = []
    /// The number of values that are supported password hashes.
    private(set) var hashes = 0
    /// The values that are not supported password hashes.
    private(set) var others = CountedLines()
    /// The units beside the numbers.
    private(set) var units = UnitEvidence()
    /// How many decimals the numbers have.
    private(set) var decimals = DecimalEvidence()
    /// The padding and the case of days and times.
    private(set) var moments = MomentEvidence()
    /// The evidence for the type that the options choose; nil if they choose none, or text.
    private(set) var chosen: ChosenTypeEvidence?
    /// Whether the column has too many values that are not hashes to be a column of hashes.
    private(set) var isMixed = false
    /// The values that consist of digits, an optional sign and at most one point, but are not numbers. The reason is
    /// leading zeros, a plus sign or too many digits.
    private(set) var numerals = CountedLines()

    /// Makes evidence without values. `type` is the type that the options choose for the column.
    init(type: FieldType? = nil) { chosen = type.flatMap(ChosenTypeEvidence.init) }

    /// The number of rows, including those that lack a cell in this column.
    var cells: Int { values + empty + blank + tokenCount }

    /// The number of cells that hold a token.
    var tokenCount: Int { tokens.values.reduce(0) { $0 + $1.count } }

    /// Adds a cell.
    ///
    /// - Returns: False if the cell has characters that no field may hold. Such a cell only counts as a value that is
    ///   not a hash.
    @inline(__always)
    mutating func add(_ cell: Span<UInt8>, line: Int) -> Bool {
        let value = cell.trimmed()
        if value.isEmpty {
            empty += 1
        } else if let token = MissingToken.index(of: value) {
            tokens[token, default: CountedLines()].add(line: line)
        } else {
            return addValue(value, line: line)
        }
        return true
    }

    /// Adds a cell that may be a secret. Nothing of its text is kept.
    ///
    /// - Returns: False if the cell has control characters that no password may hold. It can still be a hash, because
    ///   the white space around a hash does not count, and some control characters are white space.
    mutating func addSecret(_ cell: Span<UInt8>, line: Int) -> Bool {
        guard !cell.isEmpty else {
            empty += 1
            return true
        }
        let isText = text.add(cell)
        let value = cell.trimmed()
        if value.isEmpty {
            blank += 1
        } else if let token = MissingToken.index(of: value) {
            tokens[token, default: CountedLines()].add(line: line)
        } else {
            values += 1
            noteHash(value, line: line)
        }
        return isText
    }

    /// Notes that the column is not a column of hashes, regardless of later rows.
    mutating func noteMixed() { isMixed = true }

    private mutating func addValue(_ value: Span<UInt8>, line: Int) -> Bool {
        guard text.add(value) else {
            others.add(line: line)
            return false
        }
        values += 1
        shape.add(value)
        distinct.add(value, line: line)
        extremes.add(value, line: line)
        order.add(value)
        chosen?.add(value, line: line)
        if WrittenUnit.isBare(value) {
            units.addBareNumber()
            if hypotheses.mayBeNumbers { decimals.add(value) }
            hypotheses.judge(value, number: value, line: line)
        } else if hypotheses.mayBeNumbers, let range = units.addSimilar(value) {
            let number = value.extracting(range)
            decimals.add(number)
            hypotheses.judge(value, number: number, line: line)
        } else if hypotheses.mayBeNumbers, let written = WrittenUnit(value) {
            units.add(written)
            decimals.add(written.number.span)
            hypotheses.judge(value, number: written.number.span, line: line)
        } else {
            hypotheses.judge(value, number: value, line: line)
        }
        if hypotheses.mayBeMoments { moments.add(value) }
        if value[0] == UInt8(ascii: "$") { noteHash(value, line: line) } else { others.add(line: line) }
        if value.isUnusualNumeral { numerals.add(line: line) }
        if examples.count < 2 { keepExample(value.withUnsafeBufferPointer { Array($0) }) }
        return true
    }

    private mutating func noteHash(_ value: Span<UInt8>, line: Int) {
        if PasswordHash.check(value) == nil { hashes += 1 } else { others.add(line: line) }
    }

    private mutating func keepExample(_ value: [UInt8]) {
        if examples.count < 2, !examples.contains(value) { examples.append(value) }
    }

    /// Adds the evidence of later rows.
    mutating func merge(_ later: ColumnEvidence) {
        values += later.values
        empty += later.empty
        blank += later.blank
        tokens.merge(later.tokens) { $0.merged(with: $1) }
        text.merge(later.text)
        shape.merge(later.shape)
        distinct.merge(later.distinct)
        extremes.merge(later.extremes)
        order.merge(later.order)
        hypotheses.merge(later.hypotheses)
        units.merge(later.units)
        decimals.merge(later.decimals)
        moments.merge(later.moments)
        if let others = later.chosen { if chosen == nil { chosen = others } else { chosen?.merge(others) } }
        for example in later.examples { keepExample(example) }
        hashes += later.hashes
        others.merge(later.others)
        isMixed = isMixed || later.isMixed
        numerals.merge(later.numerals)
    }

    /// Adds a number of rows that did not have the column.
    mutating func addAbsent(_ count: Int) { empty += count }

    /// Counts the cells with this token as ordinary values, because the token does not stand for missing values in this
    /// column.
    mutating func takeLiterally(_ token: Int) {
        guard let found = tokens.removeValue(forKey: token) else { return }
        // The cells with known lines are added with their own lines. If they refute a hypothesis, the report can name
        // these lines.
        let bytes = MissingToken.all[token].bytes
        for line in found.lines { _ = addValue(bytes.span, line: line) }
        for _ in found.lines.count..<max(found.lines.count, found.count) {
            _ = addValue(bytes.span, line: found.lines.last ?? 0)
        }
    }
}

/// The type hypotheses that the values of a column have not refuted, and those that only a few values have refuted.
struct LivingHypotheses: Sendable {
    private var living: UInt64 = TypeHypothesis.all.count == 64 ? .max : (1 << TypeHypothesis.all.count) - 1
    /// The values that refuted a hypothesis, by its index.
    private(set) var refutations: [Int: CountedLines] = [:]

    /// The number of values.
    private var values = 0

    /// A hypothesis is no longer tested when more values refute it than this number plus a twentieth (``share``) of all
    /// values. Until then, the report can name these values. The report itself has a stricter limit. The limit here is
    /// looser, because one batch may have more such values than the others.
    private static let mostRefutations = 3
    private static let share = 20

    /// Judges a value. `number` is the value without a unit, for the hypotheses of numbers.
    @inline(__always)
    mutating func judge(_ value: Span<UInt8>, number: Span<UInt8>, line: Int) {
        values += 1
        let numeric = TypeHypothesis.numeric
        var rest = living
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            let isBorneOut =
                numeric >> index & 1 == 1
                ? TypeHypothesis.isBorneOut(index, by: number) : TypeHypothesis.isBorneOut(index, by: value)
            if isBorneOut {
                rest &= ~TypeHypothesis.implied(by: index, number)
            } else {
                refute(index) { $0.add(line: line) }
            }
        }
    }

    /// Whether a hypothesis of numbers is still tested.
    var mayBeNumbers: Bool { living & TypeHypothesis.numeric != 0 }

    /// Whether a hypothesis of days or times is still tested.
    var mayBeMoments: Bool { living & TypeHypothesis.moments != 0 }

    mutating func merge(_ later: LivingHypotheses) {
        values += later.values
        living &= later.living
        for (index, lines) in later.refutations { refute(index) { $0.merge(lines) } }
        refutations = refutations.filter { living >> $0.key & 1 == 1 }
    }

    private mutating func refute(_ index: Int, _ note: (inout CountedLines) -> Void) {
        note(&refutations[index, default: CountedLines()])
        if let count = refutations[index]?.count, count > Self.mostRefutations + values / Self.share {
            living &= ~(1 << index)
            refutations[index] = nil
        }
    }

    /// Returns whether at least one value has refuted the hypothesis.
    func isRefuted(_ index: Int) -> Bool { isDead(index) || !refutations.isEmpty && refutations[index] != nil }

    /// Returns whether the hypothesis is no longer tested.
    func isDead(_ index: Int) -> Bool { living >> index & 1 == 0 }

    /// The types that fit every value.
    var borneOut: [InferredType] { types { !isRefuted($0) } }

    /// The types that fit all but a few values, with the lines of these values.
    var nearlyBorneOut: [(type: InferredType, lines: CountedLines)] {
        refutations.sorted { $0.key < $1.key }.map { (TypeHypothesis.all[$0.key].type, $0.value) }
    }

    private func types(_ isWanted: (Int) -> Bool) -> [InferredType] {
        TypeHypothesis.all.indices.filter(isWanted).map { TypeHypothesis.all[$0].type }
    }
}

extension Span<UInt8> {
    /// Whether the text consists of digits, with an optional sign before them and at most one point, and has leading
    /// zeros, a plus sign or too many digits for a number.
    fileprivate var isUnusualNumeral: Bool {
        let start = first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0
        let hasLeadingZero = count > start + 1 && self[start] == UInt8(ascii: "0") && self[start + 1].isASCIIDigit
        // For most values the check ends here, without reading all their bytes again.
        guard hasLeadingZero || first == UInt8(ascii: "+") || count - start > TypeHypothesis.mostDigits else {
            return false
        }
        var points = 0
        for index in start..<Swift.max(start, count) where !self[index].isASCIIDigit {
            guard self[index] == UInt8(ascii: ".") else { return false }
            points += 1
        }
        let digits = count - start - points
        return points < 2 && digits > 0
            && (hasLeadingZero || first == UInt8(ascii: "+") || digits > TypeHypothesis.mostDigits)
    }
}
