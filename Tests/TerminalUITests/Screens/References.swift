enum References {
    static let emptyForm = ""
    static let narrowForm = ""
}
