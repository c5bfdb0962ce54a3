import Testing
import Watchdog

@testable import ProfileCore
import ProfileTesting

@Suite(.watched) struct SchemaRoundTripTests {
    @Test func `S6: a schema's document is a schema file of the same schema`() throws {
        var schemas = RandomSchema(seed: 20_260_115)
        for round in 0..<rounds(1_000) {
            let file = schemas.document()
            let schema = try ProfileSchema(parsing: file)
            #expect(try ProfileSchema(parsing: schema.document()) == schema, "round \(round): \(file)")
            #expect(try ProfileSchema(parsing: schema.document(indented: true)) == schema, "round \(round): \(file)")
            #expect(try ProfileSchema(parsing: schema.document()).document() == schema.document(), "round \(round)")
        }
    }

    @Test func `two files with the same rules have the same document, whatever their order and defaults`() throws {
        let left = try ProfileSchema(
            parsing: #"""
                {"fields":[{"name":"username","constraints":{"unique":true,"required":true}},
                {"name":"x","profiles":{"message":{"too_long":"b","required":"a"}},"constraints":{}}],"name":"n"}
                """#)
        let right = try ProfileSchema(
            parsing: #"""
                {"name":"n","description":"d","primaryKey":"username","fields":[
                {"title":"Username","name":"username","type":"string","constraints":{"required":true,"unique":true},
                 "profiles":{"secret":false}},
                {"name":"x","title":"X","format":"default","constraints":{"required":false},
                 "profiles":{"message":{"required":"a","too_long":"b"}}}]}
                """#)
        #expect(left == right)
        #expect(left.document() == right.document())
    }

    @Test(arguments: [("%d/%m/%Y", true), ("%Y-%m-%d", false), ("default", false)])
    func `S6: a document has a date's format, which other programs read, unless it is the default`(
        format: String, isWritten: Bool
    ) throws {
        let schema = try ProfileSchema.with(#"{"name":"x","type":"date","format":"\#(format)"}"#)
        #expect(schema.document().contains(#""format":"\#(format)""#) == isWritten)
    }

    @Test func `bytes that are nearly a schema file never trap`() throws {
        var schemas = RandomSchema(seed: 6)
        var accepted = 0
        for _ in 0..<rounds(3_000) {
            var bytes = Array(schemas.document().utf8)
            for _ in 0..<Int.random(in: 0...3, using: &schemas.random) {
                let index = Int.random(in: 0..<bytes.count, using: &schemas.random)
                switch Int.random(in: 0..<5, using: &schemas.random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(contentsOf: schemas.random.bytes(1..<3), at: index)
                case 2: bytes[index] = bytes.randomElement(using: &schemas.random) ?? 0
                case 3: bytes.removeSubrange(index...)
                default: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &schemas.random)
                }
                if bytes.isEmpty { bytes = [0x7B] }
            }
            guard let schema = try? ProfileSchema(parsing: bytes.span) else { continue }
            accepted += 1
            #expect(
                try ProfileSchema(parsing: schema.document()) == schema, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 100)
    }

    @Test func `random bytes are no schema file and never trap`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<rounds(5_000) {
            let bytes = random.bytes(0..<200)
            #expect(throws: SchemaFailure.self) { try ProfileSchema(parsing: bytes.span) }
        }
    }

    @Test func `a difference of schemas names what changed, field by field`() throws {
        let old = try ProfileSchema.with(#"{"name":"a"},{"name":"b"},{"name":"c","constraints":{"maxLength":5}}"#)
        let new = try ProfileSchema.with(
            #"{"name":"c","constraints":{"maxLength":6,"required":true}},{"name":"b"},{"name":"d"}"#)
        #expect(SchemaDifference(from: old, to: old).isEmpty)
        let difference = SchemaDifference(from: old, to: new)
        #expect(
            difference.changes == [
                .removed(old.fields[1]), .changed(before: old.fields[3], after: new.fields[1]), .added(new.fields[3]),
                .reordered,
            ])
        #expect(new.fields[1].differences(from: old.fields[3]) == ["required", "maxLength"])
    }
}
