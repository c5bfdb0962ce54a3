@_spi(_Unicode) import Swift

// Unicode's normal forms (UAX #15). The standard library has them but offers them to Foundation only, hence the SPI
// import: this file is the one place that needs it.
extension String {
    /// The scalars of Normalization Form C.
    package var scalarsOfNFC: some Sequence<Unicode.Scalar> { _nfc }

    /// The scalars of Normalization Form D: letters, each followed by the marks on it.
    package var scalarsOfNFD: some Sequence<Unicode.Scalar> { _nfd }
}
