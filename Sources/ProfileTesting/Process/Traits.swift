/// The traits with which the package, and so the command beside the tests, is built.
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
