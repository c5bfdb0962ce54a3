@_spi(_Unicode) import Swift

// Unicode's normal forms (UAX #15). The standard library implements the normal forms, but makes them available only to
// Foundation, through an SPI. Therefore this file has an SPI import. No other file needs this import.
extension String {
    /// The scalars of Normalization Form C.
    package var scalarsOfNFC: some Sequence<Unicode.Scalar> { _nfc }

    /// The scalars of Normalization Form D. Each letter is followed by its marks.
    package var scalarsOfNFD: some Sequence<Unicode.Scalar> { _nfd }
}
