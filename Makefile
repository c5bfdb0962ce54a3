# `make demo` and `make test` need only Swift and apt. They install missing packages.

PREFIX ?= /usr/local
SWIFT ?= swift
RELEASE = .build/release/profiles
# The Swift runtime is linked in, so that the binary runs on any Debian 12 with the C libraries below.
RELEASE_FLAGS = -c release --product profiles --static-swift-stdlib -Xlinker -s -Xlinker --gc-sections $(NO_EXPORTS) $(STATIC_CXX)
# No other program uses the symbols of the shipped programs. Without them, a program is a tenth smaller.
NO_EXPORTS = -Xlinker --no-export-dynamic
# Swift's runtime needs the runtime of C++. The command links it statically, so the start of a process loads two libraries
# less. A look-up by the command then takes a fifth less time. The service starts rarely, and would only become larger.
STATIC_CXX = -Xswiftc '-L$(CURDIR)/.build/cxx'
# A target may import only its declared dependencies, even if other modules are already built.
DECLARED_IMPORTS = --explicit-target-dependency-import-check error
# All tests use one build with the traits TestHooks and Postgres. The libraries are optimised, so that the tests run in half
# the time. The tests and the command are not optimised, so that they build faster. Package.swift gives the reason for the
# release configuration.
TESTING = env PROFILES_OPTIMISE_SOURCES=1 $(SWIFT)
# Without debug information, a build takes a tenth less time. A backtrace still has the names of functions.
TEST_OPTIONS = -c release -Xswiftc -enable-testing -debug-info-format none
TEST_BUILD = $(TEST_OPTIONS) --traits TestHooks,Postgres --scratch-path .build-tests
SERVER_TEST_BUILD = --package-path Server -debug-info-format none
RUN_TESTS = $(TESTING) test $(TEST_BUILD) --skip-build
# BUILD_PACKAGES are enough for the command, and for the service without PostgreSQL. Most other builds need PACKAGES.
BUILD_PACKAGES = libsqlite3-dev libsodium-dev libcrypt-dev libpcre2-dev zlib1g-dev libminizip-dev libexpat1-dev
PACKAGES = $(BUILD_PACKAGES) libpq-dev libvterm-dev
DEB_PACKAGES = dpkg-dev
TEST_DEB_PACKAGES = debootstrap
DOCUMENTED = ProfileCore ProfileForm SecretHashing ProfileStore ProfileStoreSQLite ProfileStorePostgres ProfileTransfer \
	SchemaInference SpreadsheetReading ProfileLogin ProfileTesting
MODULES = $(wildcard Modules/*)
SERVER_RELEASE = Server/.build/release/profiles-server
SERVER_RELEASE_FLAGS = --package-path Server -c release --static-swift-stdlib -Xlinker -s -Xlinker --gc-sections
SERVER_TEST_PACKAGES = curl jq openssl python3 python3-venv slowhttptest nginx-light haproxy
SERVER_TEST_LONG_PACKAGES = testssl.sh
POSTGRES_PACKAGES = postgresql-15 pgbouncer openssl procps
CLUSTER_PACKAGES = postgresql-15-auto-failover
BENCH_PACKAGES = sqlite3 hyperfine time gcc libc6-dev python3 python3-venv
SERVER_BENCH_PACKAGES = sqlite3 gcc libc6-dev wrk curl

.PHONY: help build build-tests demo test test-long test-memory test-postgres test-cluster test-sanitized test-mutants \
	test-release build-fuzz fuzz build-postgres bench bench-postgres bench-server picture interface lint install docs \
	clean deb deb-command test-deb server test-server test-server-postgres test-server-long server-description \
	install-server cxx-runtime setup setup-build setup-deb setup-test-deb setup-bench setup-postgres setup-cluster \
	setup-test-server

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

# Writes a linker script that names the static libraries. The linker finds it before the system's shared libstdc++.so.
cxx-runtime:
	@mkdir -p .build/cxx
	@clang="$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" && \
		cxx="$$("$$clang" -print-file-name=libstdc++.a)" && unwinder="$$("$$clang" -print-file-name=libgcc_eh.a)" && \
		echo "GROUP($$cxx $$unwinder)" > .build/cxx/libstdc++.so

build: setup-build cxx-runtime ## the release binary, .build/release/profiles
	$(SWIFT) build $(RELEASE_FLAGS)

demo: build ## import sample data into a fresh store and show what can be done with it
	@Examples/demo.sh $(RELEASE)

# SwiftPM passes the traits to the compiler in the order of a hash table. If the order changes, it compiles everything
# again. The variable SWIFT_DETERMINISTIC_HASHING keeps the order.
build-tests: setup
	SWIFT_DETERMINISTIC_HASHING=1 $(TESTING) build --build-tests $(TEST_BUILD) $(DECLARED_IMPORTS)

test: build-tests ## every test, optimised and a few at a time; the slow ones run shortened
	$(RUN_TESTS)

# The soak test compares the memory of its process at two times, so no other test may run in this process.
test-long: build-tests setup-postgres ## every test, the slow ones in full; the soak test on each engine; a million mutated files
	PROFILES_TEST_LONG=1 $(RUN_TESTS) --skip SoakTests
	PROFILES_TEST_LONG=1 $(RUN_TESTS) --filter SoakTests
	PROFILES_TEST_LONG=1 PROFILES_TEST_ENGINE=memory $(RUN_TESTS) --filter SoakTests
	PROFILES_TEST_LONG=1 PROFILES_TEST_ENGINE=postgres Tests/Programs/Cluster/postgres-server run $(RUN_TESTS) --filter SoakTests
	$(MAKE) fuzz FUZZ_RUNS=1000000

# Coverage is counted in optimised code. The build takes about three minutes on two cores.
build-fuzz: setup
	PROFILES_FUZZ=1 $(SWIFT) build -c release --product Fuzzer --scratch-path .build-fuzz

# FUZZ_RUNS is the number of inputs of all formats together.
fuzz: build-fuzz ## mutated CSV, JSON, NDJSON, schema, gzip and database files, guided by coverage; FUZZ_RUNS of them
	@FUZZ_RUNS=$(or $(FUZZ_RUNS),20000) Tests/Programs/Fuzzer/fuzz

test-memory: build-tests ## the tests of the store on the engine in memory; Tests/ENGINES.md lists what is left out
	PROFILES_TEST_ENGINE=memory $(RUN_TESTS) --filter '^(Profile(Store|Transfer|Login)|SchemaInference)Tests\.'

test-postgres: build-tests setup-postgres ## the tests of the store and the command on a PostgreSQL server of their own
	Tests/Programs/Cluster/postgres-server run $(RUN_TESTS) --filter PostgresCommandTests
	PROFILES_TEST_ENGINE=postgres Tests/Programs/Cluster/postgres-server run $(RUN_TESTS) \
		--filter '^(PostgresAccess|Profile(StorePostgres|Store|Transfer|Login)|SchemaInference)Tests\.'

# A run has three faults by default. PROFILES_TEST_FAULTS=20 is the full test.
test-cluster: build-tests setup-cluster ## start three PostgreSQL servers, break their leader repeatedly, and check the clients
	@export BASE="$$(mktemp -u "$${TMPDIR:-/tmp}/profiles-postgres-cluster.XXXXXX")"; \
	trap 'Tests/Programs/Cluster/postgres-cluster down' EXIT; trap 'exit 130' INT TERM; \
	Tests/Programs/Cluster/postgres-cluster up && \
		PROFILES_TEST_CLUSTER="$$(Tests/Programs/Cluster/postgres-cluster url)" \
		$(RUN_TESTS) --no-parallel --filter '^ProfileStorePostgresTests\.(Quorum|Fault)Tests'

# Processes end without freeing their memory, so the detection of leaks is disabled.
test-sanitized: setup ## the libraries' tests under the address sanitizer, without those that measure memory
	ASAN_OPTIONS=detect_leaks=0 PROFILES_ONLY_LIBRARIES=1 $(TESTING) test --disable-xctest $(TEST_OPTIONS) \
		--scratch-path .build-sanitized

# One build contains all mutants and takes ten minutes. The tests of 300 mutants take about two hours.
COUNT ?= 300
test-mutants: setup ## change operators and constants one at a time, and run the tests; SEED and COUNT choose the mutants
	Tests/Programs/Mutation/mutants prepare .build-mutants
	Tests/Programs/Mutation/mutants run .build-mutants --count $(COUNT) $(SEED:%=--seed %)

test-release: build build-tests ## the tests of the command as it is shipped
	PROFILES_TEST_RELEASE=1 $(RUN_TESTS) --filter ReleaseCommandTests

build-postgres: setup cxx-runtime ## the command that knows PostgreSQL too, for use, .build-postgres/release/profiles
	$(SWIFT) build $(RELEASE_FLAGS) --traits Postgres --scratch-path .build-postgres

# NIO and TLS take minutes to build, so the service is a separate package. With the trait Postgres, the service needs libpq.
server: setup-build $(if $(TRAITS),setup) ## the service's release binary, Server/.build/release/profiles-server; TRAITS=Postgres
	$(SWIFT) build --product profiles-server $(SERVER_RELEASE_FLAGS) $(NO_EXPORTS) $(TRAITS:%=--traits %)

# The test that runs the examples of Documentation/Serving.md uses the command `profiles` too.
test-server: build-tests setup-test-server ## the tests of the service
	$(TESTING) build $(SERVER_TEST_BUILD) --build-tests
	PROFILES_COMMAND=$(CURDIR)/.build-tests/release/profiles $(TESTING) test $(SERVER_TEST_BUILD) --skip-build
	$(SERVER_PYTHON)/bin/python -B Server/Tests/Programs/run.py

# The trait changes the compiled code, so this build has a separate folder. The first build takes six minutes.
SERVER_POSTGRES_BUILD = $(SERVER_TEST_BUILD) --traits Postgres --scratch-path Server/.build-postgres
test-server-postgres: setup-postgres setup ## the tests of the service on a PostgreSQL server of their own
	SWIFT_DETERMINISTIC_HASHING=1 $(TESTING) build --build-tests $(SERVER_POSTGRES_BUILD)
	Tests/Programs/Cluster/postgres-server run $(TESTING) test $(SERVER_POSTGRES_BUILD) --skip-build \
		--filter '^ServerCommandTests\.PostgresTests'

test-server-long: test-server ## the programs that attack the service, for an hour
	$(call install-missing,$(SERVER_TEST_LONG_PACKAGES))
	$(SERVER_PYTHON)/bin/python -B Server/Tests/Programs/run.py --long

server-description: setup ## write Server/openapi.json and the tables of Documentation/Serving.md from the table of routes
	$(TESTING) build $(SERVER_TEST_BUILD) --build-tests
	PROFILES_WRITE_DESCRIPTION=1 $(TESTING) test $(SERVER_TEST_BUILD) --skip-build --filter DescriptionTests

bench: build setup-bench ## the speed table; ROWS, RUNS, ONLY and LONG as Benchmarks/bench.sh says
	@Benchmarks/bench.sh

bench-postgres: build-postgres setup-cluster setup-bench ## the same for a store on a PostgreSQL server
	@Benchmarks/postgres.sh

# The yardsticks are targets of the package Server, because in a package of their own NIO would be built again.
bench-server: server ## the speed and memory of the service; RUNS and ONLY as Benchmarks/server.sh says
	$(call install-missing,$(SERVER_BENCH_PACKAGES))
	PROFILES_SERVER_YARDSTICKS=1 $(SWIFT) build --product BareService $(SERVER_RELEASE_FLAGS)
	PROFILES_SERVER_YARDSTICKS=1 $(SWIFT) build --product BenchmarkStore $(SERVER_RELEASE_FLAGS)
	@Benchmarks/server.sh

picture: setup ## the documents' pictures of the form and the table, from real screens
	$(SWIFT) build --product profiles
	$(SWIFT) build --product ScreenPicture
	@for picture in form browse; do \
		.build/debug/ScreenPicture $(CURDIR)/.build/debug/profiles $$picture > .build/$$picture.svg || exit; \
		mv .build/$$picture.svg Examples/$$picture.svg; \
	done

# Writes the symbol graphs of the libraries' public declarations to a folder. Reads the modules that build-tests has built.
# The last path after -I is the folder of a C module that FlyingFox imports.
define extract-symbols
@rm -rf $(1) && mkdir -p $(1)
@for library in $(DOCUMENTED); do \
	swift-symbolgraph-extract -module-name $$library -I .build-tests/release/Modules $(MODULES:%=-I %) \
		-I .build-tests/checkouts/FlyingFox/CSystemLinux/include \
		-target $$($(SWIFT) -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -1) \
		-minimum-access-level public -output-dir $(1) $(2) || exit; \
done
endef

interface: build-tests ## compare the libraries' public declarations with Tests/INTERFACE.txt; UPDATE=--update writes it
	$(call extract-symbols,.build-tests/interface,)
	.build-tests/release/PublicInterface .build-tests/interface Tests/INTERFACE.txt \
		Sources/ProfileStore/ProfileStore.docc/Public-interface.md $(UPDATE)

# The files in which `make lint` looks for a mutex that holds a function. The type of the function may be a type alias.
LOCKING = Sources Tests Migrations Benchmarks --include='*.swift' --exclude-dir=.build

lint: ## the code's format, access levels of imports, no function inside a mutex, plain words, and that every suite is watched
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Migrations Examples/Embedding/Package.swift \
		Examples/Embedding/Sources Benchmarks/Package.swift Benchmarks/Sources Server/Package.swift Server/Sources Server/Tests \
		Server/Benchmarks
	@! grep -rnE '^ *(@[A-Za-z_]+ +)*import ' Sources Migrations Server/Sources --include='*.swift' || \
		{ echo 'These imports lack an access level, such as internal.' >&2; false; }
	@aliases="$$(grep -rhoE 'typealias [A-Za-z]+ = .*->' $(LOCKING) | sed -E 's/typealias ([A-Za-z]+) .*/\1/' | sort -u | \
		paste -sd '|')"; \
	! grep -rnE "(Mutex|Locked)(<([^<>]|<[^<>]*>|<)*|\\(.*)(->|\\b($$aliases)\\b)" $(LOCKING) || \
		{ echo 'Each withLock that takes a function out of a mutex wraps it once more: keep it in a struct or class.' >&2; \
		false; }
	@! grep -rnE '\bMutex[<(]' Sources Migrations --include='*.swift' | grep -v '^Sources/Threads/Locked.swift:' || \
		{ echo 'A Mutex in an asynchronous function may be unlocked by another thread: use Locked.' >&2; false; }
	@! grep -rniE '\b(whoever|whomever|somebody|nobody|anew)\b|\bwhat is\b[^.;]* is\b' Sources Migrations Server/Sources \
		Examples Documentation README.md CONTRIBUTING.md SECURITY.md --include='*.swift' --include='*.md' --exclude-dir=.build || \
		{ echo 'These sentences do not name their subject: say who or what it is.' >&2; false; }
	@! grep -rniE '^\s*//.*\b(whoever|whomever|somebody|nobody|anew)\b' Tests Server/Tests Benchmarks --include='*.swift' \
		--exclude-dir=.build || { echo 'These comments do not name their subject: say who or what it is.' >&2; false; }
	@! grep -rn '@Suite' Tests --include='*.swift' | grep -v '\.watched' || \
		{ echo 'These suites lack the trait .watched.' >&2; false; }

install: build ## binary, completions and man pages under PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(RELEASE) $(DESTDIR)$(PREFIX)/bin/profiles
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(RELEASE) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/profiles
	$(RELEASE) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_profiles
	$(RELEASE) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/profiles.fish
	rm -rf .build-manual && mkdir .build-manual
	$(SWIFT) build --product generate-manual
	.build/debug/generate-manual $(RELEASE) --multi-page --output-directory .build-manual
	install -m 644 .build-manual/*.1 $(DESTDIR)$(PREFIX)/share/man/man1

install-server: server ## the service's binary, completions and man page under PREFIX (/usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(SERVER_RELEASE) $(DESTDIR)$(PREFIX)/bin/profiles-server
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(SERVER_RELEASE) --generate-completion-script bash > \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/profiles-server
	$(SERVER_RELEASE) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_profiles-server
	$(SERVER_RELEASE) --generate-completion-script fish > \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/profiles-server.fish
	rm -rf .build-manual-server && mkdir .build-manual-server
	$(SWIFT) build --product generate-manual
	.build/debug/generate-manual $(SERVER_RELEASE) --output-directory .build-manual-server
	install -m 644 .build-manual-server/*.1 $(DESTDIR)$(PREFIX)/share/man/man1

# DESTDIR and PREFIX of the command line do not apply: each package has a tree of its own.
deb: deb-command ## Debian packages of the command and the service, .build-deb/PACKAGE_VERSION_ARCHITECTURE.deb
	$(MAKE) install-server DESTDIR=$(CURDIR)/.build-deb/server PREFIX=/usr
	Packaging/deb profiles-server .build-deb/server .build-deb

deb-command: setup-deb ## the package of the command alone
	rm -rf .build-deb
	$(MAKE) install DESTDIR=$(CURDIR)/.build-deb/root PREFIX=/usr
	Packaging/deb profiles .build-deb/root .build-deb

# DEB=deb-command leaves the service out, whose release build takes six minutes.
DEB = deb
test-deb: $(DEB) setup-test-deb ## install the Debian packages in a new root, use and remove them; needs root and a mirror
	Tests/Programs/Packaging/deb .build-deb

docs: build-tests ## the DocC archive of the libraries, in .build-docs; a broken link is an error
	$(call extract-symbols,.build-docs/symbols,-emit-extension-block-symbols)
	$(call convert-docs,ProfileCore,)
	$(call convert-docs,ProfileForm,ProfileCore)
	$(call convert-docs,SecretHashing,ProfileCore)
	$(call convert-docs,ProfileStore,ProfileCore SecretHashing)
	$(call convert-docs,ProfileStoreSQLite,ProfileCore SecretHashing ProfileStore)
	$(call convert-docs,ProfileStorePostgres,ProfileCore SecretHashing ProfileStore)
	$(call convert-docs,ProfileTransfer,ProfileCore SecretHashing ProfileStore)
	$(call convert-docs,SchemaInference,ProfileCore SecretHashing ProfileStore ProfileTransfer)
	$(call convert-docs,SpreadsheetReading,ProfileCore SecretHashing ProfileStore ProfileTransfer)
	$(call convert-docs,ProfileLogin,ProfileCore SecretHashing ProfileStore)
	$(call convert-docs,ProfileTesting,ProfileCore ProfileForm SecretHashing ProfileStore ProfileLogin)
	@rm -rf .build-docs/Profiles.doccarchive
	@docc merge $(DOCUMENTED:%=.build-docs/%.doccarchive) \
		--synthesized-landing-page-name Profiles --output-path .build-docs/Profiles.doccarchive
	@echo "Serve .build-docs/Profiles.doccarchive with any web server."

# Makes the archive of one library, with links into the archives of others. The input is the symbol graph of the library,
# and those of its extensions of ProfileStore, ProfileForm and ProfileTransfer. The graphs of its imports are left out.
define convert-docs
@rm -rf .build-docs/symbols-$(1) && mkdir -p .build-docs/symbols-$(1)
@find .build-docs/symbols \( -name '$(1).symbols.json' -o -name '$(1)@ProfileStore.symbols.json' \
	-o -name '$(1)@ProfileForm.symbols.json' -o -name '$(1)@ProfileTransfer.symbols.json' \) \
	-exec cp -t .build-docs/symbols-$(1) {} +
docc convert Sources/$(1)/$(1).docc --additional-symbol-graph-dir .build-docs/symbols-$(1) \
	$(patsubst %,--dependency .build-docs/%.doccarchive,$(2)) \
	--fallback-display-name $(1) --fallback-bundle-identifier profiles.$(1) \
	--enable-experimental-external-link-support --warnings-as-errors --output-path .build-docs/$(1).doccarchive
endef

clean: ## remove what was built
	rm -rf .build .build-* Benchmarks/.build Examples/Embedding/.build Server/.build Server/.build-*

# Installs only missing packages, prints the command and never prompts. Needs root, or sudo without a password.
AS_ROOT = $(if $(filter 0,$(shell id -u)),,sudo -n)
define install-missing
@missing=$$(for package in $(1); do \
	dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
[ -z "$$missing" ] || { \
	set -- $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	echo "$$*"; \
	{ $(AS_ROOT) apt-get update -qq && "$$@"; } > /dev/null < /dev/null; }
endef

setup: ## install the C libraries that are missing
	$(call install-missing,$(PACKAGES))

setup-build:
	$(call install-missing,$(BUILD_PACKAGES))

setup-deb:
	$(call install-missing,$(DEB_PACKAGES))

# Debian starts nginx and HAProxy when it installs them, unless policy-rc.d forbids it. The tests run their own.
SERVER_PYTHON = Server/.build-python
setup-test-server:
	$(call install-missing,$(SERVER_TEST_PACKAGES))
	@[ -x $(SERVER_PYTHON)/bin/pip ] || python3 -m venv --clear $(SERVER_PYTHON)
	@$(SERVER_PYTHON)/bin/pip install --quiet --disable-pip-version-check --requirement Server/Tests/Programs/requirements.txt

setup-test-deb:
	$(call install-missing,$(TEST_DEB_PACKAGES))

# DuckDB and polars, which are yardsticks of the benchmark.
BENCH_PYTHON = Benchmarks/.build/python
setup-bench:
	$(call install-missing,$(BENCH_PACKAGES))
	@[ -x $(BENCH_PYTHON)/bin/pip ] || python3 -m venv --clear $(BENCH_PYTHON)
	@$(BENCH_PYTHON)/bin/pip install --quiet --disable-pip-version-check --requirement Benchmarks/Yardsticks/requirements.txt

# While this file exists, the installation of Debian's package does not create and start a cluster of its own.
NO_MAIN_CLUSTER = /etc/postgresql-common/createcluster.d/profiles.conf
setup-postgres:
	@dpkg-query -W -f '$${Status}' postgresql-15 2>/dev/null | grep -q 'ok installed' || { \
		echo 'create_main_cluster = false' | $(AS_ROOT) install -D -m 644 /dev/stdin $(NO_MAIN_CLUSTER); }
	$(call install-missing,$(POSTGRES_PACKAGES))
	@[ ! -e $(NO_MAIN_CLUSTER) ] || $(AS_ROOT) rm $(NO_MAIN_CLUSTER)

setup-cluster: setup-postgres
	$(call install-missing,$(CLUSTER_PACKAGES))
