internal import ProfileCore
internal import ProfileTransfer

/// What the values of one column have shown: what each of them bears out, and hypotheses that die of one that does not.
///
/// Each worker keeps its own for its batch; merging is associative, so that only the order of batches matters.
struct ColumnEvidence: Sendable {
    /// Values that are there, tokens not counted.
    private(set) var values = 0
    /// Empty cells.
    private(set) var empty = 0
    /// Cells of white space alone in a column of secrets: passwords, though no hashes.
    private(set) var blank = 0
    /// Values that may stand for none: how often each is there, by its position among ``MissingToken/all``.
    private(set) var tokens: [Int: CountedLines] = [:]
    private(set) var text = TextEvidence()
    private(set) var shape = ShapeEvidence.noValues
    private(set) var distinct = FewValues()
    private(set) var hypotheses = LivingHypotheses()
    /// The first two values that differ.
    private(set) var examples: [[UInt8]] = []
    /// Values that begin as hashes do and are ones that can be checked.
    private(set) var hashes = 0
    /// Values that are no such hash.
    private(set) var others = CountedLines()
    /// Whether there are so many other values beside hashes that the column is no column of hashes.
    private(set) var isMixed = false
    /// What looks like a number, from the first that is no integer on.
    private(set) var numerals = CountedLines()

    /// Rows that had a cell, or could have had one.
    var cells: Int { values + empty + blank + tokenCount }

    /// Cells that hold a token.
    var tokenCount: Int { tokens.values.reduce(0) { $0 + $1.count } }

    /// Takes a cell in.
    ///
    /// - Returns: False for text that no field may hold; it is not taken in.
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

    /// Takes in what is a secret, of which nothing may be kept: any bytes but those that no text may hold.
    ///
    /// - Returns: False for these.
    mutating func addSecret(_ cell: Span<UInt8>, line: Int) -> Bool {
        guard !cell.isEmpty else {
            empty += 1
            return true
        }
        guard text.add(cell) else { return false }
        let value = cell.trimmed()
        if value.isEmpty {
            blank += 1
        } else if let token = MissingToken.index(of: value) {
            tokens[token, default: CountedLines()].add(line: line)
        } else {
            values += 1
            noteHash(value, line: line)
        }
        return true
    }

    /// Notes that the column is no column of hashes, whatever later rows hold.
    mutating func noteMixed() { isMixed = true }

    private mutating func addValue(_ value: Span<UInt8>, line: Int) -> Bool {
        guard text.add(value) else { return false }
        values += 1
        shape.add(value)
        distinct.add(value)
        hypotheses.judge(value, line: line)
        if value[0] == UInt8(ascii: "$") { noteHash(value, line: line) } else { others.add(line: line) }
        if hypotheses.isRefuted(0), value.isNumeral { numerals.add(line: line) }
        if examples.count < 2 { keepExample(value.withUnsafeBufferPointer { Array($0) }) }
        return true
    }

    private mutating func noteHash(_ value: Span<UInt8>, line: Int) {
        if PasswordHash.check(value) == nil { hashes += 1 } else { others.add(line: line) }
    }

    private mutating func keepExample(_ value: [UInt8]) {
        if examples.count < 2, !examples.contains(value) { examples.append(value) }
    }

    /// Adds what later rows have shown.
    mutating func merge(_ later: ColumnEvidence) {
        values += later.values
        empty += later.empty
        blank += later.blank
        tokens.merge(later.tokens) { $0.merged(with: $1) }
        text.merge(later.text)
        shape.merge(later.shape)
        distinct.merge(later.distinct)
        hypotheses.merge(later.hypotheses)
        for example in later.examples { keepExample(example) }
        hashes += later.hashes
        others.merge(later.others)
        isMixed = isMixed || later.isMixed
        numerals.merge(later.numerals)
    }

    /// Adds rows that did not have the column.
    mutating func addAbsent(_ count: Int) { empty += count }

    /// Takes tokens for what they say, where they stand for no missing value.
    mutating func takeLiterally(_ token: Int) {
        guard let found = tokens.removeValue(forKey: token) else { return }
        // One by one for the lines that are known, so that a hypothesis which dies of it says where.
        let bytes = MissingToken.all[token].bytes
        for line in found.lines { _ = addValue(bytes.span, line: line) }
        for _ in found.lines.count..<max(found.lines.count, found.count) {
            _ = addValue(bytes.span, line: found.lines.last ?? 0)
        }
    }
}

/// The hypotheses that the values of a column have not refuted yet, and those that were refuted by a few only.
struct LivingHypotheses: Sendable {
    private var living: UInt64 = TypeHypothesis.all.count == 64 ? .max : (1 << TypeHypothesis.all.count) - 1
    /// The values that refuted one, by its position.
    private(set) var refutations: [Int: CountedLines] = [:]

    /// With one more a hypothesis is not asked any more. Until then it is, so that a person can be told of the few values
    /// that keep a column from being what it nearly is.
    static let mostRefutations = 3

    @inline(__always)
    mutating func judge(_ value: Span<UInt8>, line: Int) {
        var rest = living
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest &- 1
            if TypeHypothesis.isBorneOut(index, by: value) {
                rest &= ~TypeHypothesis.implied(by: index, value)
            } else {
                refute(index) { $0.add(line: line) }
            }
        }
    }

    mutating func merge(_ later: LivingHypotheses) {
        living &= later.living
        for (index, lines) in later.refutations { refute(index) { $0.merge(lines) } }
        refutations = refutations.filter { living >> $0.key & 1 == 1 }
    }

    private mutating func refute(_ index: Int, _ note: (inout CountedLines) -> Void) {
        note(&refutations[index, default: CountedLines()])
        if let count = refutations[index]?.count, count > Self.mostRefutations {
            living &= ~(1 << index)
            refutations[index] = nil
        }
    }

    /// Whether one was refuted at all.
    func isRefuted(_ index: Int) -> Bool { isDead(index) || !refutations.isEmpty && refutations[index] != nil }

    /// Whether one is not asked any more.
    func isDead(_ index: Int) -> Bool { living >> index & 1 == 0 }

    /// What every value bears out.
    var borneOut: [InferredType] { types { !isRefuted($0) } }

    /// What all but a few values bear out, with the lines of these.
    var nearlyBorneOut: [(type: InferredType, lines: CountedLines)] {
        refutations.sorted { $0.key < $1.key }.map { (TypeHypothesis.all[$0.key].type, $0.value) }
    }

    private func types(_ isWanted: (Int) -> Bool) -> [InferredType] {
        TypeHypothesis.all.indices.filter(isWanted).map { TypeHypothesis.all[$0].type }
    }
}

extension Span<UInt8> {
    /// Digits, perhaps behind a sign and with a point between.
    fileprivate var isNumeral: Bool {
        let start = first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0
        var points = 0
        for index in start..<Swift.max(start, count) where !self[index].isASCIIDigit {
            guard self[index] == UInt8(ascii: ".") else { return false }
            points += 1
        }
        return count - start > points && points < 2
    }
}
