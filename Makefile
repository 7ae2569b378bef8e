# SPDX-License-Identifier: Apache-2.0
# Builds build/rill and starts the tests and tools of the tree. `make help` lists the targets. `make demo` and
# `make test` are enough for a first look; both install missing Debian packages first.
.DEFAULT_GOAL := build/rill
SHELL := /bin/bash

CC       ?= gcc
CFLAGS   ?= -O2
BASE     := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -ffp-contract=off -MMD -MP -I.
LIBS     := -lyaml -ljansson -lpcre2-8 -lutf8proc -lz -lglpk -lm
OUT      := build
SRC      := $(wildcard gen/*/*.c)
OBJ      := $(SRC:%.c=$(OUT)/obj/%.o)
SIM_SRC  := $(wildcard verif/model/*.c verif/replay/*.c verif/harness/*.c verif/check/*.c)
SIM_OBJ  := $(SIM_SRC:%.c=$(OUT)/obj/%.o)

$(OUT)/rill: $(OUT)/obj/gen/main.o $(OUT)/librill.a
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(OUT)/librill.a: $(OBJ) $(SIM_OBJ)
	@rm -f $@ && ar rcs $@ $^

$(OUT)/obj/gen/numerics/%.o $(OUT)/obj/verif/replay/%.o $(OUT)/obj/gen/reference/%.o $(OUT)/obj/gen/timing/%.o $(OUT)/obj/gen/simulator/%.o: CFLAGS += -O3
$(OUT)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) $(BASE) $(CFLAGS) -c $< -o $@

-include $(OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(OUT)/obj/gen/main.d

# Variables that tell the scripts how to run their jobs (docs/testing.md)
export LAUNCH BATCH LIMIT JOURNAL JOBS

.PHONY: docs deps deps-demo demo serve serve-demo test test-deep test-all test-cluster fuzz mutants fuzz-readers bench-table timing records pnr bench-gen lint package foreign host install uninstall deb clean help
# Lists the targets, each with the comment line above it
help:
	@awk '/^# / { said = substr($$0, 3) } /^PREFIX/ { next } /^[a-z-]+:/ { sub(/:.*/, "", $$1); printf "  make %-14s %s\n", $$1, said } \
	    !/^#/ { said = "" }' Makefile

# The Debian packages that the build and the tests need, installed where they are missing
deps:
	@tests/install.sh test

# The Debian packages that the build and the demo need, which are only some of those of `make deps`
deps-demo:
	@tests/install.sh demo

# A sentence from the shipped model, by the oracle and by simulated hardware
demo:
	@mkdir -p $(OUT)
	@began=$$(date +%s) && DOWNLOAD_SECONDS=$(OUT)/demo.download tests/install.sh demo && \
	    $(MAKE) --no-print-directory -j2 $(OUT)/rill && \
	    DEMO_BEGAN=$$began DOWNLOAD_SECONDS=$(OUT)/demo.download tests/demo.sh

# The story model in simulated hardware behind the HTTP server (docs/serve.md): make serve-demo PORT=8080
serve-demo:
	@tests/install.sh serve
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@PORT=$(or $(PORT),8080) tests/serve/demo.sh

# The tests, before a change and after it
test: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/run.sh --set test

# The longer tests, which CI runs after those of `make test`
test-deep: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/run.sh --set deep

# Every sweep, design point and seed
test-all: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/run.sh --all

# The pages as a static site with search: build/site/index.html
docs:
	@docs/site.sh

# Random specs: make fuzz JOBS=2 SEEDS=1-40. LAUNCH, BATCH and JOURNAL are described in docs/testing.md
fuzz: deps
	@tests/fuzz/run.sh --seeds $(or $(SEEDS),1-20)

# Planted faults, each of which its test must find (docs/testing.md): make mutants JOBS=2 ENTRIES="1-40"
mutants: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/mutants/run.sh $(ENTRIES)

# Jobs on clusters of three nodes, with Slurm and with ssh, on this machine; a node is killed (docs/testing.md)
test-cluster: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/cluster/run.sh

# A package of a design for the vendor's flow, with every check that needs no vendor's tool (docs/package.md)
package: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/package/run.sh $(or $(SPEC),configs/gpt2-medium-u55c.yaml)

# Tools of others on packaged kernels: cocotb with cocotbext-axi, FuseSoC; from PyPI, into build/foreign (docs/testing.md)
foreign: deps
	@python3 -c "import ensurepip" 2>/dev/null || tests/install.sh demo python3-venv:python3-venv
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@tests/foreign/run.sh --seeds $(or $(SEEDS),20)
	@tests/foreign/slang.sh

# The program that runs requests on a card, and its library (docs/card.md)
host: deps
	@$(MAKE) --no-print-directory -C boards/host OUT=$(abspath $(OUT))/host WERROR=-Werror

# The HTTP server for a card, and its library (docs/serve.md)
serve: deps
	@$(MAKE) --no-print-directory -C boards/host OUT=$(abspath $(OUT))/host WERROR=-Werror serve

# Hours: simulates GPT-2 medium beside published accelerators (docs/performance.md). make bench-table REQUESTS="32:32"
bench-table: deps
	@tests/install.sh demo llvm-bolt-15:bolt-15
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@bench/table.sh $(if $(REQUESTS),--requests "$(REQUESTS)") --twin "$(or $(TWIN),8:8)"

# Longest paths of the templates and the clock of GPT-2 medium, by the model of verif/timing (docs/delay-model.md)
timing: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@verif/timing/run.sh --all
	@verif/timing/run.sh --design configs/gpt2-medium-u55c.yaml

RECORDS ?= gpt2-medium-u55c-16 gpt2-medium-u55c-28 gpt2-medium-u55c gpt2-medium-u55c-a4 smollm2-135m-u55c \
	smollm2-135m-u55c-24 smollm2-135m-u55c-28 gemma3-270m-u55c gemma3-270m-u55c-32 llama32-1b-u55c-32-head4 \
	qwen25-05b-u55c-32
# Renews the clock records of all analysed designs and the table of docs/clock.md. make records RECORDS=gpt2-medium-u55c
records: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@status=0; for design in $(RECORDS); do \
		spec=configs/$$design.yaml; [ -f $$spec ] || spec=bench/designs/$$design.yaml; \
		verif/timing/run.sh --design $$spec --record || status=1; done; \
		RILL_UPDATE=1 python3 tests/docs/tables.py docs/clock.md && exit $$status

# A small design through synthesis, placement, routing and bitstream for an ECP5 (docs/delay-model.md)
pnr: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@verif/pnr/run.sh
	@verif/pnr/gates.sh
	@verif/pnr/gates.sh verif/pnr/pumped.yaml
	@verif/pnr/gates.sh verif/pnr/halved.yaml

# How long the generator takes, and how that grows (docs/fifos.md)
bench-gen: deps
	@$(MAKE) --no-print-directory -j2 $(OUT)/rill
	@bench/gen.sh

# Readers of outside files under libFuzzer: make fuzz-readers SECONDS=60 (of each reader)
fuzz-readers: deps
	@tests/fuzz/readers/run.sh --seconds $(or $(SECONDS),60)

# Form of sources, scripts and pages
lint: deps
	@tests/lint.sh

# Installs PREFIX/bin/rill, its library in PREFIX/lib/rill, man page and completions, below DESTDIR if it is set
PREFIX ?= /usr/local
install: $(OUT)/rill
	@packaging/install.sh "$(DESTDIR)" "$(PREFIX)"

# Removes what make install has installed
uninstall:
	@packaging/install.sh --remove "$(DESTDIR)" "$(PREFIX)"

# A Debian package of this machine's architecture: build/rill_VERSION_ARCH.deb
deb: $(OUT)/rill
	@packaging/deb.sh

# Removes build/
clean:
	@rm -rf $(OUT)
