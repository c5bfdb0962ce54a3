/// The traits with which the package is built. The command that the tests run is built with the same traits.
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
