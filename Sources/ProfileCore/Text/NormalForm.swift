@_spi(_Unicode) import Swift

// Unicode's normal forms (UAX #15). The standard library has them, but offers them only to Foundation. Therefore this
// file, and no other file, needs the SPI import.
extension String {
    /// The scalars of Normalization Form C.
    package var scalarsOfNFC: some Sequence<Unicode.Scalar> { _nfc }

    /// The scalars of Normalization Form D: letters, each followed by the marks on it.
    package var scalarsOfNFD: some Sequence<Unicode.Scalar> { _nfd }
}
