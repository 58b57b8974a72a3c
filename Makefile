# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

ROOT := .
include settings.mk
TARGET ?= embedded
BUILD  := build
STAMPS := $(BUILD)/stamps

# Debian 12's names. Rust is installed only where no cargo of at least RUST_VERSION is on the PATH.
PACKAGES := python3 python3-venv python3-dev gcc libc6-dev make pkg-config ca-certificates git \
	mininet net-tools iproute2 iputils-ping ethtool procps \
	clang-14 clang-format-14 llvm-14 bpftool libbpf-dev libelf-dev zlib1g-dev libcmocka-dev \
	libclang-rt-14-dev
# Used by tests only: a browser for the page, and Wireshark's command for the dissector.
TEST_PACKAGES := chromium chromium-driver tshark
RUST_PACKAGES := cargo-web rustc-web rustfmt-web rust-web-clippy
RUST_VERSION := 1.85

P4_SOURCES := $(shell find p4src -name '*.p4')
rust_sources = Cargo.toml Cargo.lock $(shell find $(1) -name '*.rs' -o -name '*.p4' -path '*p4include*' -o -name Cargo.toml)
SWITCH_SOURCES := $(call rust_sources,softswitch)
# The simulator has the hosts' window algorithms compiled in, and of softswitch the data plane.
SIMULATOR_SOURCES := $(call rust_sources,simulator $(addprefix softswitch/,capture dataplane p4runtime python-control)) \
	$(wildcard host_stack/cc/*.[ch])
.PHONY: help
help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / && !seen[$$1]++ { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '  make %-17s Fuzz a part of the Rust\n' $(FUZZ_TARGETS:%=fuzz-%)
	@echo "  TARGET=embedded (default), TARGET=tna (Tofino's program) or TARGET=bmv2 (p4c and simple_switch_grpc must be installed)"

# ---- Setup

.PHONY: setup
setup: $(STAMPS)/python ## Install Debian packages, Rust and the Python environment

# Shell commands: those of the packages $(1) that are not there, and their installation.
missing = missing=""; for package in $(1); do \
		dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done
INSTALL = if [ -n "$$missing" ]; then \
		echo "installing:$$missing"; \
		[ "$$(id -u)" = 0 ] || { echo "make: installing packages needs root: run as root, or install them yourself" >&2; exit 1; }; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

$(STAMPS)/apt: Makefile
	$(SAY) "Debian packages"
	@mkdir -p $(@D)
	@$(call missing,$(PACKAGES)); \
	cargo_version=$$(cargo --version 2>/dev/null | cut -d' ' -f2); \
	if [ "$$(printf '%s\n' "$(RUST_VERSION)" "$$cargo_version" | sort -V | head -n 1)" != "$(RUST_VERSION)" ]; then \
		missing="$$missing $(RUST_PACKAGES)"; \
	fi; \
	$(INSTALL)
	@touch $@

# Debian's package would start a daemon that listens on all addresses. The tests need one of its programs.
$(BUILD)/promtool: | $(STAMPS)/apt
	$(SAY) "promtool, of Debian's package prometheus"
	@rm -rf $(BUILD)/prometheus && mkdir -p $(BUILD)/prometheus && cd $(BUILD)/prometheus && \
		load="apt-get download -qq -o APT::Sandbox::User=root prometheus" && \
		{ $$load 2>/dev/null || { apt-get update -qq && $$load; }; } && \
		dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
	@install $(BUILD)/prometheus/usr/bin/promtool $@ && rm -r $(BUILD)/prometheus

$(STAMPS)/apt-test: $(STAMPS)/apt
	@$(call missing,$(TEST_PACKAGES)); $(INSTALL)
	@touch $@

LOCK := requirements.lock
# uv is locked by its hash as all else. It knows nothing of pip's settings, so it is told where pip gets packages from. It
# compiles the packages: services, and commands where PYTHONDONTWRITEBYTECODE is set, would do so at each start.
PIP_INDEX = $$($(VENV)/bin/pip config get global.index-url 2>/dev/null || echo https://pypi.org/simple)
UV_INSTALL = UV_DEFAULT_INDEX=$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$(PIP_INDEX)}} \
	$(VENV)/bin/uv pip install --quiet --native-tls --compile-bytecode --python $(PYTHON) --no-deps
DECLARED := requirements.txt $(wildcard */pyproject.toml) softswitch/python/pyproject.toml simulator/python/pyproject.toml

# The constraint is for what builds the packages without wheels: uv builds them in environments of their own. The switch's
# Python sources are found before its native module is built, which writes the same file once more.
$(STAMPS)/python: $(STAMPS)/apt $(LOCK) $(DECLARED)
	$(SAY) "Python environment in $(VENV)"
	@/usr/bin/python3 -m venv --system-site-packages $(VENV)
	@mkdir -p $(BUILD)/lock && sed -n '/^uv==/,/[^\\]$$/p' $(LOCK) >$(BUILD)/lock/uv
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(BUILD)/lock/uv
	@$(UV_INSTALL) --require-hashes --build-constraints $(LOCK) -r $(LOCK)
	@$(UV_INSTALL) --no-build-isolation -e control_plane -e topologies -e experiments
	@echo $(CURDIR)/softswitch/python >$$(echo $(VENV)/lib/python3*/site-packages)/quench_switch.pth
	@touch $@

# uv resolves for Debian 12's Python wherever it runs, keeps the versions that are locked already, and writes the hashes of
# all wheels, of which those of Debian 12's two machines stay; pip freeze knows neither hashes nor which of Debian's packages
# are ours.
LOCKED_MACHINES := x86_64-manylinux_2_36 aarch64-manylinux_2_36
.PHONY: lock
lock: ## Write requirements.lock from what is declared (LOCK_ARGS=--upgrade for newer versions)
	$(SAY) "$(LOCK)"
	@test -x $(VENV)/bin/uv || { echo "make: no uv in $(VENV): run make setup with the lock of the last commit" >&2; exit 1; }
	@printf -- '-e %s\n' control_plane experiments topologies | $(VENV)/bin/uv pip compile --quiet --python-version 3.11 \
		--generate-hashes --no-annotate --no-header $(LOCK_ARGS) --output-file $(LOCK) \
		--no-emit-package quench --no-emit-package quench-experiments --no-emit-package quench-topologies \
		requirements.txt softswitch/python/pyproject.toml simulator/python/pyproject.toml -
	@mkdir -p $(BUILD)/lock && for machine in $(LOCKED_MACHINES); do \
		$(VENV)/bin/uv pip compile --quiet --python-version 3.11 --python-platform $$machine --no-deps --no-header \
			--format pylock.toml --output-file $(BUILD)/lock/pylock.$$machine.toml $(LOCK) || exit; \
	done
	@$(PYTHON) packaging/locked_hashes.py $(LOCK) $(LOCKED_MACHINES:%=$(BUILD)/lock/pylock.%.toml)
	@sed -i '1i # SPDX-FileCopyrightText: 2026 The Quench Authors\n# SPDX-License-Identifier: Apache-2.0\n# Written by `make lock`.' $(LOCK)

# ---- Build

.PHONY: build
build: native host p4 bytecode ## Build the embedded target, the host stack and the P4 program

.PHONY: native
native: $(STAMPS)/native $(STAMPS)/simulator ## Build compiler and data plane, and the simulator, as Python modules

MATURIN = $(ALONE) PIP_QUIET=1 VIRTUAL_ENV=$(TOP)/.venv $(VENV)/bin/maturin

# The messages of packet traces, by protoc.
TRACES := softswitch/python/quench_switch/trace/packet_trace
$(TRACES)_pb2.py: $(TRACES).proto $(STAMPS)/python
	@cd softswitch/python && $(TOP)/.venv/bin/python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. $(TRACES:softswitch/python/%=%).proto

$(STAMPS)/native: $(STAMPS)/python $(SWITCH_SOURCES) $(TRACES)_pb2.py
	$(SAY) "Compiler and data plane (Rust)"
	@$(MATURIN) develop --quiet --release --locked -m softswitch/python/Cargo.toml
	@touch $@

# One after the other: both install a package, and share what they build of others.
$(STAMPS)/simulator: $(STAMPS)/python $(SIMULATOR_SOURCES) | $(STAMPS)/native
	$(SAY) "Simulator (Rust)"
	@$(MATURIN) develop --quiet --release --locked -m simulator/python/Cargo.toml
	@touch $@

# A service may write nothing beside the sources, so it would compile them at each start.
.PHONY: bytecode
bytecode: native ## Compile the Python sources, which services cannot do
	@$(PYTHON) -m compileall -q control_plane/quench softswitch/python/quench_switch simulator/python/quench_simulator \
		topologies/quench_topologies experiments/quench_experiments

.PHONY: host
host: $(STAMPS)/apt ## Build the host stack (eBPF and its loader)
	$(SAY) "Host stack (C, eBPF)"
	@$(MAKE) --no-print-directory -s -C host_stack

# The programs of quench/targets.py.
PROGRAM_embedded := $(BUILD)/quench.json
PROGRAM_bmv2 := $(BUILD)/bmv2/quench.json
PROGRAM_tna := $(BUILD)/quench_tna.json

.PHONY: p4
p4: $(or $(PROGRAM_$(TARGET)),$(error TARGET=$(TARGET): give embedded, bmv2 or tna)) ## Compile the program for TARGET

$(BUILD)/quench.json: $(P4_SOURCES) $(STAMPS)/native
	$(SAY) "p4src/quench.p4, with quench compile"
	@$(VENV)/bin/quench compile -D QUENCH_EXTENDED --Wdisable=unsupported p4src/quench.p4 -o $(BUILD)

$(BUILD)/quench_tna.json: $(P4_SOURCES) $(STAMPS)/native
	$(SAY) "p4src/quench_tna.p4, with quench compile"
	@$(VENV)/bin/quench compile --arch tna p4src/quench_tna.p4 -o $(BUILD)

$(BUILD)/bmv2/quench.json: $(P4_SOURCES)
	$(SAY) "p4src/quench.p4, with p4c"
	@command -v p4c >/dev/null || { echo "make: p4c is not installed: see docs/how-to/bmv2.md" >&2; exit 1; }
	@mkdir -p $(@D)
	@p4c --target bmv2 --arch v1model --p4runtime-files $(@D)/quench.p4info.txtpb -o $(@D) p4src/quench.p4

# ---- Use

# Of this repository's own packages and files; maturin checks its platform tag, and quench-host is static. All times are the
# commit's, so that the commit has the same wheel and the same bill of materials wherever they are built; without git they
# are those of 1980, the first that a zip knows.
.PHONY: wheel
wheel: build $(BUILD)/quench_tna.json ## Build the wheel quench-net and its bill of materials in build/wheel
	$(SAY) "Wheel"
	@$(PYTHON) packaging/wheel/stage.py $(BUILD)/wheel/source
	@rm -f $(BUILD)/wheel/*.whl $(BUILD)/wheel/*.cdx.json
	@export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315619200) && \
		$(PYTHON) packaging/wheel/sbom.py $(BUILD)/wheel/source && cd $(BUILD)/wheel/source && \
		$(ALONE) $(TOP)/.venv/bin/maturin build --quiet --release --locked --out .. && cp *.cdx.json ..
	@ls $(BUILD)/wheel/*.whl $(BUILD)/wheel/*.cdx.json

# The version is quench_switch/version.py's. Cargo and the citation take no other file's.
.PHONY: release
release: ## Write VERSION=X.Y.Z wherever it stands, for a release (CONTRIBUTING.md)
	@[ -n "$(VERSION)" ] || { echo "make: give VERSION=X.Y.Z" >&2; exit 1; }
	@sed -i 's/^VERSION: Final = .*/VERSION: Final = "$(VERSION)"/' softswitch/python/quench_switch/version.py
	@sed -i 's/^version = .*/version = "$(VERSION)"/' Cargo.toml
	@sed -i 's/^version: .*/version: $(VERSION)/' CITATION.cff
	@cargo update --quiet --offline --workspace

# Takes as long as a whole build. Another path, of another length, is what a name of a folder in the wheel would show.
.PHONY: reproduce
reproduce: wheel ## Build the wheel of the last commit again in another folder, and compare the bytes
	$(SAY) "The wheel of a clone, in another folder"
	@[ -z "$$(git status --porcelain)" ] || \
		{ echo "make: the folder has changes: commit them, for the other wheel is of the last commit" >&2; exit 1; }
	@again=$$(mktemp -d) && trap 'rm -rf "$$again"' EXIT && git clone --quiet . "$$again/another/quench" && \
		$(MAKE) --no-print-directory -C "$$again/another/quench" wheel && \
		for made in $(BUILD)/wheel/*.whl $(BUILD)/wheel/*.cdx.json; do \
			cmp "$$made" "$$again/another/quench/$$made" && sha256sum "$$made" || exit 1; \
		done

# What `make test` cannot show on a machine that has everything already.
.PHONY: minimal
minimal: ## Repeat the README's commands, with a short demo, on a Debian 12 of minbase alone
	$(SAY) "A minimal Debian 12"
	@$(call missing,debootstrap); $(INSTALL)
	@packaging/minimal/run

.PHONY: test-wheel
test-wheel: wheel ## Install the wheel, and run its commands without repository and network
	$(SAY) "The wheel, without repository and network"
	@$(PYTHON) -m pytest packaging/tests

.PHONY: demo
demo: build ## Run the schemes side by side; results in out/demo
	$(SAY) "Demo"
	@$(VENV)/bin/quench demo --target $(TARGET) --out out/demo $(DEMO_ARGS)

.PHONY: docs
docs: native host p4 docs-rust ## Build the documentation in build/site (make docs-serve shows it)
	$(SAY) "Documentation"
	@PYTHONPATH=docs $(PYTHON) -m quench_docs
	@$(VENV)/bin/zensical build --clean --strict -f $(BUILD)/mkdocs.yml
	@PYTHONPATH=docs $(PYTHON) -m quench_docs.served $(BUILD)/site
	@cp -r $(CARGO_TARGET_DIR)/doc $(BUILD)/site/rust

# All links of rustdoc's pages are checked. Private items have pages, so public ones may link to them.
.PHONY: docs-rust
docs-rust: $(STAMPS)/apt ## Build the documentation of the Rust crates in build/cargo/doc
	$(SAY) "Documentation of the Rust crates"
	@RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --locked --no-deps \
		--document-private-items --workspace

.PHONY: docs-serve
docs-serve: ## Show build/site at http://127.0.0.1:8000
	@$(PYTHON) -m http.server --bind 127.0.0.1 --directory $(BUILD)/site 8000

.PHONY: notebooks
notebooks: build ## Run the notebooks of examples/, and store their outputs in them
	$(SAY) "Notebooks"
	@$(PYTHON) examples/notebooks/run.py

.PHONY: soak
soak: build ## Break every part under traffic for ten minutes; results in out/soak
	$(SAY) "Fault campaign"
	@$(VENV)/bin/quench soak --out out/soak $(SOAK_ARGS)

.PHONY: bench
bench: build ## Measure speed, or one PART=wire of it; COMPARE=bench.json tells what became slower
	$(SAY) "Benchmarks, with ns-2 and BMv2 where they are installed"
	@$(PYTHON) bench/run.py $(PART:%=--part %) $(COMPARE:%=--compare %) $(BENCH_ARGS)

# ---- Test

# Kernel TCP and the demo mostly wait. Both load window algorithms into the one kernel, so they run one after the other, by
# a lock, beside two stages that keep the cores busy: make starts what waits for another stage only after all others. The
# first runs while the native modules are compiled, which the others need: the Rust tests take the crates of others from there.
TIMES := $(CURDIR)/$(BUILD)/times
STAGES := test-c test-demo test-rust test-experiments test-python test-switch test-wheel test-ptf test-docs test-stf
KERNEL_STAGES := test-c test-demo
QUENCH_STAGES := $(filter-out test-switch,$(STAGES:test-rust=test-simulator))
BESIDE := --jobs=3 --output-sync=line
timed-test-c: host $(STAMPS)/python $(STAMPS)/apt-test
timed-test-python: $(BUILD)/promtool
timed-test-ptf timed-test-wheel: $(BUILD)/quench_tna.json
$(patsubst %,timed-%,$(filter-out test-c,$(STAGES)) test-simulator): build $(STAMPS)/apt-test

.PHONY: test
test: setup ## Run every test, of both houses
	@rm -rf $(TIMES) && mkdir -p $(TIMES)
	$(SAY) "Three stages beside each other; the first while the native modules are compiled"
	@$(MAKE) --no-print-directory $(BESIDE) $(STAGES:%=timed-%)
	$(SAY) "All tests passed. Stages, and the ten slowest tests"
	@sort -rn $(TIMES)/stages && cat $(TIMES)/tests-* | sort -rn | head -n 10

.PHONY: test-softswitch
test-softswitch: ## Run every test of softswitch
	@$(MAKE) --no-print-directory -C softswitch test

.PHONY: test-quench
test-quench: setup ## Run every test of Quench's own house
	@rm -rf $(TIMES) && mkdir -p $(TIMES)
	@$(MAKE) --no-print-directory $(BESIDE) $(QUENCH_STAGES:%=timed-%)

# Tests hand their times to QUENCH_TEST_TIMES; the Rust harness has none.
timed-%: export QUENCH_TEST_TIMES = $(TIMES)
timed-%:
	@exec 9>$(TIMES)/kernel; $(if $(filter $(KERNEL_STAGES),$*),flock 9;) began=$$(date +%s); \
		$(MAKE) --no-print-directory $* 9>&- || exit; took=$$(($$(date +%s) - began)); \
		echo "$$took s $*" >>$(TIMES)/stages; printf '\033[1m== %s passed in %d s\033[0m\n' $* $$took

# The native modules are built by maturin alone, which tells PyO3 where Python is.
CRATES ?= --workspace --exclude quench-switch-python --exclude quench-simulator-python
.PHONY: test-rust
test-rust: $(STAMPS)/apt ## Tests of the Rust crates of both houses
	$(SAY) "Rust, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@$(CARGO_TEST) $(CRATES)
	@$(CARGO_TEST) -p quench-handoff --features loom

.PHONY: test-simulator
test-simulator: $(STAMPS)/apt ## Tests of the Rust crates of the simulator and of the pipeline
	$(SAY) "Simulator and pipeline, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@$(CARGO_TEST) $(addprefix --package quench-,pipeline python-control simulator simulator-fuzz)

.PHONY: test-switch
test-switch: build $(STAMPS)/apt-test ## Tests of softswitch in Python, and its STF tests
	@$(MAKE) --no-print-directory -C softswitch test-python test-stf

.PHONY: test-c
test-c: host $(STAMPS)/python ## Tests of the host stack: algorithms, kernel TCP in namespaces
	$(SAY) "Host stack: algorithms, then kernel TCP in namespaces"
	@$(MAKE) --no-print-directory -s -C host_stack test PYTEST="$(TOP)/.venv/bin/python -m pytest"

.PHONY: test-python
test-python: build $(STAMPS)/apt-test $(BUILD)/promtool ## Tests of controller and P4 programs
	$(SAY) "Controller and P4 programs, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@$(PYTHON) -m pytest $(SEEDED) $(SPREAD) control_plane/tests p4src/tests

.PHONY: test-experiments
test-experiments: build $(STAMPS)/apt-test ## Tests of simulator, experiments and bench
	$(SAY) "Simulator, experiments and bench, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@$(PYTHON) -m pytest $(SEEDED) simulator/python/tests experiments/tests bench/tests

.PHONY: test-docs
test-docs: build $(STAMPS)/apt-test ## Check the documents: links, code blocks, the site
	$(SAY) "Documents: links, code blocks, the site's pages"
	@$(PYTHON) -m pytest $(SEEDED) docs/tests

STF_PROGRAMS := $(patsubst %.stf,%.p4,$(wildcard p4src/*.stf)) $(sort $(patsubst %.stf,%.p4,$(wildcard examples/*/*.stf)))
.PHONY: test-stf
test-stf: native ## STF tests of Quench's programs and of the examples
	$(SAY) "Quench's programs with STF tests"
	@quench stf --priority-queues 2 $(STF_PROGRAMS) && quench stf --priority-queues 2 --interpreted $(STF_PROGRAMS)

.PHONY: test-demo
test-demo: build $(STAMPS)/apt-test ## Tests of topologies, a short demo and a short fault campaign
	$(SAY) "Topologies, a short demo and a short fault campaign"
	@$(PYTHON) -m pytest topologies/tests

# One after the other: with another stage beside them both keep two cores busy as they are.
.PHONY: test-ptf
test-ptf: build $(BUILD)/quench_tna.json ## PTF packet tests on TARGET, and on the target tna
	@for target in $(sort $(TARGET) tna); do $(MAKE) --no-print-directory ptf TARGET=$$target || exit; done

.PHONY: ptf
ptf: build ## PTF packet tests on the target
	$(SAY) "PTF on $(TARGET)"
	@$(PYTHON) ptf_tests/run.py --target $(TARGET)

# ---- Coverage

COVERAGE := $(BUILD)/coverage
LLVM = $(shell rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
PROFILES := $(CURDIR)/$(COVERAGE)/profiles
# Dependencies, and tests themselves.
UNCOUNTED := (/\.cargo/|/cargo/registry/|/rustc/|/usr/|/tests?/|_tests\.rs|tests\.rs|/fuzz/|/examples/)
CARGO_COVERAGE = RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/softswitch/instrumented-rustc \
	LLVM_PROFILE_FILE=$(PROFILES)/%p-%4m.profraw cargo test --locked --profile bench --tests $(CRATES)

.PHONY: coverage
coverage: coverage-p4 coverage-python coverage-rust ## Print what the tests reach of Rust, Python and P4; lists in out/coverage
	$(SAY) "Coverage is in out/coverage"

# The tools read only what a compiler of their own LLVM wrote.
.PHONY: coverage-tools
coverage-tools: $(STAMPS)/python ## Install what coverage-rust needs
	@command -v llvm-cov-$(LLVM) >/dev/null || { \
		echo "installing: llvm-$(LLVM), for rustc has LLVM $(LLVM)"; \
		[ "$$(id -u)" = 0 ] || { echo "make: installing llvm-$(LLVM) needs root: run as root, or install it yourself" >&2; exit 1; }; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends llvm-$(LLVM) >/dev/null; \
	}

.PHONY: coverage-rust
coverage-rust: coverage-tools ## Coverage of Rust
	$(SAY) "Coverage of Rust by its own tests, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@rm -rf $(PROFILES) out/coverage/rust && mkdir -p $(PROFILES) out/coverage
	@for how in --no-run --quiet; do \
		$(CARGO_COVERAGE) $$how >$(COVERAGE)/log$$how 2>&1 || { cat $(COVERAGE)/log$$how >&2; exit 1; }; \
	done
	@sed -n 's/^ *Executable .*(\(.*\))$$/-object=\1/p' $(COVERAGE)/log--no-run >$(COVERAGE)/objects
	@llvm-profdata-$(LLVM) merge --sparse -o $(COVERAGE)/rust.profdata $(PROFILES)
	@llvm-cov-$(LLVM) report --instr-profile=$(COVERAGE)/rust.profdata --ignore-filename-regex='$(UNCOUNTED)' \
		--show-region-summary=false --show-branch-summary=false $$(cat $(COVERAGE)/objects) >out/coverage/rust.txt
	@llvm-cov-$(LLVM) show --instr-profile=$(COVERAGE)/rust.profdata --ignore-filename-regex='$(UNCOUNTED)' \
		--format=html --output-dir=out/coverage/rust $$(cat $(COVERAGE)/objects)
	@cat out/coverage/rust.txt

.PHONY: coverage-python
coverage-python: build $(BUILD)/promtool ## Coverage of Python
	$(SAY) "Coverage of Python, without the suites that run switches and kernels for minutes"
	@rm -rf $(COVERAGE)/python out/coverage/python && mkdir -p $(COVERAGE)/python out/coverage
	@for suites in "control_plane/tests p4src/tests softswitch/python/tests" "simulator/python/tests experiments/tests" docs/tests; do \
		$(PYTHON) -m coverage run -m pytest $(SEEDED) $$suites || exit 1; \
	done
	@$(PYTHON) -m coverage combine --quiet
	@$(PYTHON) -m coverage html --quiet
	@$(PYTHON) -m coverage report >out/coverage/python.txt && cat out/coverage/python.txt

.PHONY: coverage-p4
coverage-p4: build ## Coverage of P4 by packet tests and STF
	$(SAY) "Coverage of P4 by the packet tests and STF"
	@rm -rf $(COVERAGE)/p4 && mkdir -p $(COVERAGE)/p4 out/coverage/p4
	@export QUENCH_P4_REACHED=$(CURDIR)/$(COVERAGE)/p4/reached && \
		$(MAKE) --no-print-directory test-stf ptf TARGET=embedded && $(MAKE) --no-print-directory -C softswitch test-stf
	@$(PYTHON) -m quench_switch.reached_report --listed p4src/ $(COVERAGE)/p4/reached out/coverage/p4 >out/coverage/p4.txt
	@cat out/coverage/p4.txt

# libFuzzer needs counters of each edge, which stable rustc has.
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1
FUZZ := $(BUILD)/fuzz
# The entropic schedule and the search for shorter inputs take more of libFuzzer's time than most inputs.
# An input may take 10 s of processor time, which the targets measure; libFuzzer's timeout is of the clock on the wall.
FUZZ_OPTIONS := -entropic=0 -reduce_inputs=0 -timeout=120 -rss_limit_mb=2048 -max_len=200000 -print_final_stats=1
FUZZ_TARGETS := p4 loader packets offload tna frames
# Of the simulator; the others are of softswitch.
fuzz-frames: FUZZ_FOLDER := simulator/fuzz
FUZZ_FOLDER := softswitch/fuzz
FUZZERS := $(FUZZ_TARGETS:%=fuzz-%) fuzz-large fuzz-host fuzz-p4runtime fuzz-inputs fuzz-listeners
TIME ?= 60
HOST_TRIPLE = $(shell rustc -vV | sed -n 's/^host: //p')

.PHONY: fuzz
fuzz: ## Run each fuzzer for TIME=60 seconds; what fails is kept in build/fuzz/failures
	$(SAY) "Fuzzers, $(TIME) s each, QUENCH_TEST_SEED=$(QUENCH_TEST_SEED)"
	@$(MAKE) --no-print-directory --keep-going $(FUZZERS) || \
		{ echo "make: a fuzzer failed: its input is in $(FUZZ)/failures" >&2; exit 1; }

.PHONY: fuzz-targets
fuzz-targets: $(STAMPS)/apt ## Build the fuzzers of softswitch and of the simulator
	@for folder in softswitch/fuzz simulator/fuzz; do \
		CARGO_TARGET_DIR=$(CURDIR)/$(FUZZ) CXX=clang++-14 RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --quiet --locked \
			--manifest-path $$folder/Cargo.toml --features engine --profile fuzz --target $(HOST_TRIPLE) || exit; \
	done

.PHONY: $(FUZZERS)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: fuzz-targets
	$(SAY) "Fuzzer of Rust: $*"
	@mkdir -p $(FUZZ)/seeds/$* $(FUZZ)/found/$* $(FUZZ)/failures/$*
	@QUENCH_FUZZ_SEEDS=$(FUZZ)/seeds/$* $(FUZZ)/$(HOST_TRIPLE)/fuzz/fuzz-$* -seed=$(QUENCH_TEST_SEED) -max_total_time=$(TIME) \
		$(FUZZ_OPTIONS) -artifact_prefix=$(FUZZ)/failures/$*/ \
		$(FUZZ)/found/$* $(FUZZ_FOLDER)/corpus/$* $(FUZZ)/seeds/$*

# They take 20 s of processor time; what is quadratic takes minutes.
LARGE := cargo test --quiet --locked --profile bench -p quench-p4-backend --test all
fuzz-large: $(STAMPS)/apt ## Compile programs with thousands of everything
	$(SAY) "Large programs"
	@$(LARGE) --no-run
	@ulimit -t 120; $(LARGE) -- --ignored

fuzz-host: $(STAMPS)/apt ## Fuzz the host stack
	$(SAY) "Fuzzers of the host stack"
	@$(MAKE) --no-print-directory -s -C host_stack fuzz TIME=$(TIME) SEED=$(QUENCH_TEST_SEED) \
		FAILURES=$(CURDIR)/$(FUZZ)/failures/host

fuzz-p4runtime: native ## Play random P4Runtime requests against a model
	$(SAY) "P4Runtime against a model"
	@$(PYTHON) -m p4runtime_model --seconds $(TIME) --seed $(QUENCH_TEST_SEED) --program p4src/quench.p4 \
		--folder $(FUZZ)/failures/p4runtime

fuzz-inputs: native ## Fuzz configurations, profiles, experiments and requests
	$(SAY) "Configurations, profiles, experiments and requests"
	@$(PYTHON) experiments/tests/fuzz_inputs.py --time $(TIME) --seed $(QUENCH_TEST_SEED) --keep $(FUZZ)/failures/inputs

fuzz-listeners: native p4 ## Send attacks to every listener at full speed
	$(SAY) "Hostile clients of every listener"
	@$(PYTHON) topologies/tests/soak/fuzz_listeners.py --time $(TIME) --seed $(QUENCH_TEST_SEED) --keep $(FUZZ)/failures

.PHONY: audit
audit: $(STAMPS)/python ## Look for known faults in dependencies (needs cargo-deny, pip-audit and the network)
	@missing=""; for tool in cargo-deny pip-audit; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	[ -z "$$missing" ] || { echo "make: nothing was audited: needs$$missing" \
		"(cargo install cargo-deny, pipx install pip-audit) and the advisories of github.com and pypi.org" >&2; exit 1; }
	$(SAY) "Rust: advisories, licences, bans and sources"
	@cargo deny check || \
		{ echo "make: the audit of Rust failed: see above; its advisories come from github.com/rustsec/advisory-db" >&2; exit 1; }
	$(SAY) "Python: advisories"
	@pip-audit --path $$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || \
		{ echo "make: the audit of Python failed: see above; its advisories come from pypi.org" >&2; exit 1; }

.PHONY: lint
lint: native ## Check style and types
	$(SAY) "Python: ruff, mypy"
	@$(VENV)/bin/ruff format --check . && $(VENV)/bin/ruff check .
	@$(VENV)/bin/mypy
	@MYPYPATH=softswitch/python:simulator/python $(VENV)/bin/stubtest quench_switch._native quench_simulator._native \
		--ignore-disjoint-bases --allowlist softswitch/python/stubtest.allowed --mypy-config-file pyproject.toml
	$(SAY) "Documents: lines"
	@$(PYTHON) -m pytest docs/tests/test_line_length.py
	$(SAY) "Rust: rustfmt, clippy"
	@cargo fmt --all --check && cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	@cargo clippy --quiet --locked -p quench-pipeline --benches --features bench -- -D warnings
	$(SAY) "C: clang-format"
	@$(MAKE) --no-print-directory -s -C host_stack lint
	@$(MAKE) --no-print-directory docs-rust

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BUILD) out
