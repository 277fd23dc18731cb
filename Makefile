# Each command does its own set-up, on a machine that has Python, pip and make, and reuses it the next time.
#
#   make demo    the whole loop, on data that every machine has
#   make demo-images   three ways to find similar pictures, compared; writes build/digits.html
#   make test    the tests; `make .venv/.scale` first adds those of torch and Spark
#   make check   format, lint, types
#   make fuzz    files made by chance for every reader: FUZZ_ARGS="--files 1000000", or --seconds 60
#   make sanitize      the kernels' tests and fuzzed files, on kernels built with sanitizers
#   make fuzz-native   files for the scanning kernel, found by coverage: FUZZ_ARGS="-max_total_time=60"
#   make bench   the benchmarks against other tools
#   make docs    the generated part of the documentation, and a site of all of it: build/site/index.html
#
# PYTHON=python3.12 make ... chooses another Python; PYTEST_ARGS="-k layers" make test passes arguments on,
# and so does BENCH_ARGS="--only memory" make bench.

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=
BIN := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
VENV := .venv
BENCH_VENV := .venv-bench
FUZZ_VENV := .venv-fuzz
SANITIZED := build/sanitized
# Stamps: an empty file per finished step. An editable install sees changed Python sources by itself; only a change in what is
# compiled, or in what is installed, makes a step run again.
KERNELS := $(filter-out %/__init__.py,$(wildcard src/germane/kernels/_*.py)) $(wildcard src/germane/kernels/*.pxd)
BUILD_INPUTS := pyproject.toml setup.py $(KERNELS)
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.PHONY: demo demo-images test fuzz fuzz-native sanitize check bench docs release-check clean
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	@$(VENV)/$(BIN)/germane demo

demo-images: $(VENV)/.images
	@mkdir -p build
	@$(VENV)/$(BIN)/germane demo --images build/digits.html

# loadfile: one worker runs all of a file, so what a file's tests share is built once.
test: $(VENV)/.test
	$(VENV)/$(BIN)/python -m pytest -n auto --dist loadfile $(PYTEST_ARGS)

fuzz: $(VENV)/.test
	$(VENV)/$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

# The kernels once more, with address and undefined-behaviour sanitizers and bounds checks, in a folder of their own: the
# first access out of bounds ends the step. Python's own allocator would hide some, so it is the C library's. The C++
# library is loaded first for the sake of others' extensions, whose exceptions the sanitizer follows.
SANITIZE_FILES ?= 20000
SANITIZER := PYTHONMALLOC=malloc LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
    $(VENV)/$(BIN)/python -m tests.kernels.sanitized $(SANITIZED)

sanitize: $(SANITIZED)/.built
	$(SANITIZER) pytest -n 0 -q -s -p no:cacheprovider --ignore tests/kernels/test_allocation.py tests/kernels
	$(SANITIZER) tests.fuzz --files $(SANITIZE_FILES)

$(SANITIZED)/.built: $(VENV)/.test $(BUILD_INPUTS)
	@echo "building the kernels with sanitizers into $(SANITIZED)"
	@CC=gcc GERMANE_KERNELS=sanitized $(VENV)/$(BIN)/python setup.py --quiet build_ext \
	    --build-lib $(SANITIZED) --build-temp $(SANITIZED)/temp
	@touch $@

fuzz-native: $(FUZZ_VENV)/.native
	@mkdir -p build/fuzz-native
	$(FUZZ_VENV)/$(BIN)/python -m tests.fuzz.native -artifact_prefix=build/fuzz-native/ $(FUZZ_ARGS) build/fuzz-native

check: $(VENV)/.check
	$(VENV)/$(BIN)/ruff format --check .
	$(VENV)/$(BIN)/ruff check .
	$(VENV)/$(BIN)/mypy

bench: $(BENCH_VENV)/.bench
	$(BENCH_VENV)/$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

# -W: a link that leads nowhere, or a page that docs/README.md does not list, fails.
docs: $(VENV)/.docs
	$(VENV)/$(BIN)/python docs/generate.py
	$(VENV)/$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs/site -d build/doctrees . build/site
	@echo "the site: build/site/index.html"

# That the wheels of every platform are configured: prints which ones would be built, builds none.
release-check: $(VENV)/.release
	@for platform in linux macos windows; do \
	    echo "wheels for $$platform:"; \
	    $(VENV)/$(BIN)/cibuildwheel --print-build-identifiers --platform $$platform || exit 1; \
	done

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(FUZZ_VENV) build dist .ci/report .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -f src/germane/kernels/*.so src/germane/kernels/*.pyd src/germane/kernels/*.c

# Where Python comes without its bundled pip (Debian's python3 does), the pip that is there installs one. Dependency groups
# need pip 25.1.
%/.made:
	@echo "making $(@D) with $(PYTHON)"
	@$(PYTHON) -m venv $(@D) 2>/dev/null || \
	    { rm -rf $(@D) && $(PYTHON) -m venv --without-pip $(@D) && $(PYTHON) -m pip --python $(@D)/$(BIN)/python install --quiet pip; }
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --upgrade "pip>=25.1"
	@touch $@

# With what the demonstration needs: it stems words and draws figures. The compiled kernels of before are removed first:
# should the new ones not compile, stale ones must not stay.
%/.core: %/.made $(BUILD_INPUTS)
	@echo "installing germane into $(@D)"
	@rm -f src/germane/kernels/*.so src/germane/kernels/*.pyd
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --editable ".[search,report]"
	@touch $@

%/.images: %/.core
	@echo "installing what the demonstration with pictures needs into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) "scikit-learn>=1.5"
	@touch $@

%/.test: %/.core
	@echo "installing what the tests need into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group test
	@touch $@

# What the tests of GPU and cluster code need besides Java; without it they skip, and say why. Torch comes first and by
# itself, in the version that has a build for the processor alone: any other brings gigabytes for a GPU.
%/.scale: %/.test
	@echo "installing torch, Triton and Spark into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) "torch==2.13.0"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group scale
	@touch $@

%/.native: %/.test
	@echo "installing the coverage-guided fuzzer into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group fuzz
	@touch $@

%/.docs: %/.test
	@echo "installing what makes the site into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group docs
	@touch $@

%/.check: %/.test
	@echo "installing the checkers into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group check
	@touch $@

%/.release: %/.made pyproject.toml
	@echo "installing the release tools into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group release
	@touch $@

%/.bench: %/.core
	@echo "installing the tools to compare with into $(@D)"
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --group bench
	@touch $@

.PRECIOUS: %/.made %/.core %/.test %/.scale
