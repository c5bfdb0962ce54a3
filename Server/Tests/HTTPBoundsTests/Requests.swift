import HTTPBounds

/// The bounds of a test's server. They are long, so that only what a test changes expires.
func bounds(_ change: (inout ConnectionBounds) -> Void = { _ in }) -> ConnectionBounds {
    var bounds = ConnectionBounds(lingerTime: .seconds(1), bodyLength: 1_000)
    change(&bounds)
    return bounds
}

let get = "GET /constant HTTP/1.1\r\nHost: localhost\r\n\r\n"
let getLast = "GET /constant HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

func post(_ path: String, _ fields: String, _ body: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)"
}
