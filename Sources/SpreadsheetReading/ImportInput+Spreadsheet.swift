internal import CSVStream
internal import Platform
public import ProfileTransfer
internal import Threads

extension ImportInput {
    /// Returns an input with the rows of one sheet if this input is a workbook (`.xlsx`, `.xlsm` or `.ods`), which is
    /// detected by its content. Returns an input with the same bytes if it is not.
    ///
    /// Call this method before ``/ProfileTransfer/ImportInput/readableAgain(keptIn:)``. A stream is examined when it is
    /// read. A stream that begins like a workbook is first copied to an encrypted file without a name, and so is a
    /// workbook that is compressed with gzip. Texts of a workbook that do not fit into 80 MiB of memory are also kept
    /// in such a file.
    ///
    /// - Parameters:
    ///   - name: The name of the sheet; nil for the usual sheet.
    ///   - usual: The name of the usual sheet, for example from the rules of a store; nil for the first sheet that is
    ///     not hidden. If the input is not a workbook, this name has no effect.
    ///   - headerRow: The row that determines the number of cells in a row, from 1; nil for the first row that is not
    ///     blank. Shorter rows are filled with empty cells.
    ///   - folder: The folder for the files without names.
    /// - Returns: The input. Its line numbers are the numbers of the rows.
    /// - Throws: `ImportError.opening` if the file cannot be opened. `ImportError.readingStream` with a
    ///   ``SpreadsheetError`` if the workbook certainly cannot be read, or if it is not a workbook and `name` is not nil.
    ///   Other faults of the workbook are found, and thrown, when it is read.
    public func readingSheet(
        named name: String? = nil, usual: String? = nil, headerRow: Int? = nil, keptIn folder: String = "/var/tmp"
    ) throws(ImportError) -> ImportInput {
        let choice = SheetChoice(name: name ?? usual, isUsual: name == nil, headerRow: headerRow)
        guard isSeekable else {
            return ImportInput(name: self.name, byteCount: byteCount) { () throws(ImportError) in
                let stream = try InputReading(self)
                let sheet = PossibleSheet(stream, choice, keptIn: folder)
                return InputReading(sheet.source, stream.interruption, sheet: sheet)
            }
        }
        let file = try RepeatableInput(self, keptIn: folder)
        do throws(ByteStreamError) {
            let bytes = SeekableBytes(file, count: try file.count())
            if try file.isCompressedWorkbook() {
                return ImportInput(name: self.name) {
                    let sheet = PossibleSheet(file.reading(), choice, keptIn: folder)
                    return InputReading(sheet.source, file.interruption, sheet: sheet)
                }
            }
            guard let kind = try SpreadsheetKind.detect(bytes) else {
                if name != nil { throw ByteStreamError(.notSpreadsheet) }
                return self
            }
            return ImportInput(name: self.name) {
                let sheet = PossibleSheet(SheetReading(bytes, kind, choice, keptIn: folder), file.interruption)
                return InputReading(sheet.source, file.interruption, sheet: sheet)
            }
        } catch {
            throw ImportError(error)
        }
    }
}

extension RepeatableInput {
    /// Whether the input, which is not a stream, is gzip data that decompresses to a file that may be a workbook.
    fileprivate func isCompressedWorkbook() throws(ByteStreamError) -> Bool {
        let start = try reading().source.beginning(SpreadsheetKind.longestSignature)
        return SpreadsheetKind.isCompressed(start) && reading().source.beginsCompressedWorkbook()
    }
}

extension ByteSource {
    /// Reads this number of bytes, or fewer if the source ends first.
    fileprivate func beginning(_ count: Int) throws(ByteStreamError) -> [UInt8] {
        let bytes = SeekableBytes(count: 0) { buffer, _ throws(ByteStreamError) in try read(buffer) }
        return try bytes.read(upTo: count, at: 0)
    }

    /// Whether the next bytes of the source decompress to the beginning of a file that may be a workbook.
    fileprivate func beginsCompressedWorkbook() -> Bool {
        // A fault of the gzip data is ignored here, because the reader of the input reports it later.
        guard let start = try? decompressed().beginning(SpreadsheetKind.longestSignature) else { return false }
        return SpreadsheetKind.mayBeWorkbook(start)
    }

    /// Returns a source of the decompressed bytes. The caller copies these bytes to a file. If they exceed
    /// ``ZipArchive/mostBytes(from:)``, reading from the source throws `tooLarge`. So the data cannot fill the disk.
    fileprivate func decompressedWorkbook() throws(ByteStreamError) -> ByteSource {
        let sizes = Locked((compressed: Int64(0), inflated: Int64(0)))
        let compressed = ByteSource { buffer throws(ByteStreamError) in
            let count = try read(buffer)
            sizes.withLock { $0.compressed += Int64(count) }
            return count
        }
        let inflated = try compressed.decompressed()
        return ByteSource { buffer throws(ByteStreamError) in
            let count = try inflated.read(buffer)
            let isTooLarge = sizes.withLock { sizes in
                sizes.inflated += Int64(count)
                return sizes.inflated > ZipArchive.mostBytes(from: sizes.compressed)
            }
            if isTooLarge { throw .part("gzip data", .tooLarge) }
            return count
        }
    }
}

extension SeekableBytes {
    /// The bytes of an input. After an interruption, every read throws an error with the code EINTR.
    fileprivate init(_ input: RepeatableInput, count: Int64) {
        self.init(count: count) { buffer, position throws(ByteStreamError) in
            if input.interruption.isInterrupted { throw ByteStreamError(operation: .read, code: EINTR) }
            return try input.read(into: buffer, at: position)
        }
    }
}

/// An input that is a workbook, or a stream that may be one. The first bytes of a stream must be read to find out.
private final class PossibleSheet: SheetInput {
    /// `@unchecked Sendable`: the `SheetReading` has no other reference, and is used only under the lock.
    private enum State: @unchecked Sendable {
        case unknown(InputReading, SheetChoice, folder: String)
        /// Bytes that were read to detect the format, and the source of the bytes after them.
        case text(ArraySlice<UInt8>, ByteSource)
        case sheet(SheetReading)
    }

    private let state: Locked<State>
    private let interruption: any Interruption

    init(_ sheet: sending SheetReading, _ interruption: any Interruption) {
        state = Locked(.sheet(sheet))
        self.interruption = interruption
    }

    init(_ stream: InputReading, _ choice: SheetChoice, keptIn folder: String) {
        state = Locked(.unknown(stream, choice, folder: folder))
        interruption = stream.interruption
    }

    func isSheet() throws(ByteStreamError) -> Bool {
        try state.withLock { state throws(ByteStreamError) in
            if case .unknown(let stream, let choice, let folder) = state {
                state = try Self.examine(stream, choice, folder)
            }
            return if case .sheet = state { true } else { false }
        }
    }

    var warnings: [InputWarning] {
        state.withLock { state in if case .sheet(let sheet) = state { sheet.warnings } else { [] } }
    }

    /// The rows of the sheet, or the bytes of the stream.
    var source: ByteSource {
        ByteSource { [self] buffer throws(ByteStreamError) in
            _ = try isSheet()
            return try state.withLock { state throws(ByteStreamError) in
                switch state {
                case .unknown: return 0
                case .text(let beginning, let rest):
                    guard !beginning.isEmpty else { return try rest.read(buffer) }
                    let bytes = beginning.prefix(buffer.count)
                    buffer.copyBytes(from: bytes)
                    state = .text(beginning.dropFirst(bytes.count), rest)
                    return bytes.count
                case .sheet(let sheet):
                    if interruption.isInterrupted { return 0 }
                    do throws(ByteStreamError) {
                        return try sheet.read(into: buffer)
                    } catch {
                        // An interrupted read is the end of the input, as with other inputs.
                        if interruption.isInterrupted { return 0 }
                        throw error
                    }
                }
            }
        }
    }

    private static func examine(
        _ stream: InputReading, _ choice: SheetChoice, _ folder: String
    ) throws(ByteStreamError) -> State {
        var start = try stream.source.beginning(SpreadsheetKind.longestSignature)
        var mayBeWorkbook = SpreadsheetKind.mayBeWorkbook(start)
        if SpreadsheetKind.isCompressed(start) {
            let read = Locked(start)
            let examined = ByteSource { buffer throws(ByteStreamError) in
                let count = try stream.source.read(buffer)
                read.withLock { $0 += buffer[..<count] }
                return count
            }
            mayBeWorkbook = PossibleSheet(.text(start[...], examined), stream.interruption).source
                .beginsCompressedWorkbook()
            start = read.withLock { $0 }
        }
        var text = State.text(start[...], stream.source)
        if mayBeWorkbook, SpreadsheetKind.isCompressed(start) {
            text = .text([], try PossibleSheet(text, stream.interruption).source.decompressedWorkbook())
        }
        if mayBeWorkbook {
            // The directory of a ZIP archive is at its end, so the whole stream is copied.
            let copy: RepeatableInput
            do throws(ImportError) {
                let whole = PossibleSheet(text, stream.interruption)
                let input = ImportInput(name: "") { InputReading(whole.source, stream.interruption) }
                copy = try RepeatableInput(input, keptIn: folder)
            } catch {
                throw ByteStreamError(operation: .read, cause: error)
            }
            let seekable = SeekableBytes(copy, count: try copy.count())
            if let kind = try SpreadsheetKind.detect(seekable) {
                return .sheet(SheetReading(seekable, kind, choice, keptIn: folder))
            }
            text = .text([], copy.reading().source)
        }
        if choice.name != nil, !choice.isUsual { throw ByteStreamError(.notSpreadsheet) }
        return text
    }

    private init(_ state: State, _ interruption: any Interruption) {
        self.state = Locked(state)
        self.interruption = interruption
    }
}
