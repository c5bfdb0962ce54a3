import ProfileTesting
import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct ImportSettingsTests {
    private func schema(_ settings: String) throws(SchemaFailure) -> ProfileSchema {
        try ProfileSchema(
            parsing:
                #"{"profiles":\#(settings),"fields":[{"name":"username","constraints":{"required":true,"unique":true}},{"name":"a"},{"name":"password","profiles":{"secret":true}}]}"#
        )
    }

    @Test func `S6: a schema file has the settings with which files are imported`() throws {
        let file =
            ##"{"key":["site","no"],"contentFields":["a"],"encoding":"latin1","delimiter":"\t","header":false,"skip":2,"headerLine":3,"comment":"#","pad":true,"sheet":"Data","ignoredColumns":["","x"]}"##
        let settings = try schema(file).importSettings
        #expect(settings.key == .columns(["site", "no"]))
        #expect(settings.encoding == "latin1" && settings.delimiter == UInt8(ascii: "\t"))
        var layout = TableLayout()
        layout.hasHeader = false
        layout.skippedLines = 2
        layout.headerLine = 3
        layout.comment = UInt8(ascii: "#")
        layout.padsShortRows = true
        layout.sheet = "Data"
        #expect(settings.layout == layout)
        #expect(settings.ignoredColumns == ["", "x"])
        #expect(try schema(file).document().contains(#""profiles":\#(file)"#))
        #expect(try schema(#"{"key":"row"}"#).importSettings.key == .rowNumber)
        #expect(try schema(#"{"key":"content"}"#).importSettings.key == .content)
        #expect(try schema("{}").importSettings.document == nil)
        #expect(try schema(file) != schema("{}"))
        #expect(SchemaDifference(from: try schema("{}"), to: try schema(file)).changes.count == 1)
    }

    @Test(arguments: [
        (#"{"key":"id"}"#, "$.profiles.key"), (#"{"key":[]}"#, "$.profiles.key"), (#"{"key":1}"#, "$.profiles.key"),
        (#"{"delimiter":"\""}"#, "$.profiles.delimiter"), (#"{"delimiter":";;"}"#, "$.profiles.delimiter"),
        (#"{"comment":"é"}"#, "$.profiles.comment"), (#"{"skip":-1}"#, "$.profiles.skip"),
        (#"{"headerLine":0}"#, "$.profiles.headerLine"), (#"{"headerLine":-1}"#, "$.profiles.headerLine"),
        (#"{"header":"no"}"#, "$.profiles.header"), (#"{"colour":1}"#, "$.profiles.colour"), ("[]", "$.profiles"),
        (#"{"contentFields":["a","nmae"]}"#, "$.profiles.contentFields[1]"),
        (#"{"contentFields":["username"]}"#, "$.profiles.contentFields[0]"),
        (#"{"contentFields":["password"]}"#, "$.profiles.contentFields[0]"),
    ])
    func `S6: settings that cannot be used are refused with their place`(settings: String, path: String) {
        let failure = #expect(throws: SchemaFailure.self) { try schema(settings) }
        #expect(failure?.errors.map(\.path) == [path], "\(String(describing: failure))")
    }
}
