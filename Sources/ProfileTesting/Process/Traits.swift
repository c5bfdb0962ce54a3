/// The SwiftPM traits of this build of the package. The tests run a command that is built with the same traits.
package enum Traits {
    package static var hasTestHooks: Bool {
        #if TestHooks
            true
        #else
            false
        #endif
    }

    package static var hasPostgres: Bool {
        #if Postgres
            true
        #else
            false
        #endif
    }
}
