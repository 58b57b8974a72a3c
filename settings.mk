# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# The environment of both houses' commands. ROOT is the way to the repository's root.

TOP    := $(shell cd $(ROOT) && pwd)
VENV   := $(ROOT)/.venv
PYTHON := $(VENV)/bin/python

export CARGO_TARGET_DIR := $(TOP)/build/cargo
# The names of source files in what is built are the same wherever a commit is built: a panic prints them.
export RUSTFLAGS := --remap-path-prefix=$(TOP)=/quench --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=/cargo
export PATH := $(TOP)/.venv/bin:$(PATH)

# The seed of the tests of properties and of the fuzzers: another one in each run. QUENCH_TEST_SEED=N repeats a run.
QUENCH_TEST_SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
export QUENCH_TEST_SEED := $(QUENCH_TEST_SEED)
export PROPTEST_RNG_SEED := $(QUENCH_TEST_SEED)
SEEDED := --hypothesis-seed=$(QUENCH_TEST_SEED)
# Most tests of the control plane wait for switches and timers. The tests of a file stay in one process, in their order.
SPREAD := --numprocesses auto --dist loadfile
# Make's job slots are open to recursive makes alone: cargo would warn of them.
ALONE := env -u MAKEFLAGS
CARGO_TEST := $(ALONE) cargo test --quiet --locked --profile bench --tests
SAY = @printf '\033[1m== %s\033[0m\n'
