# Each target sets up what it needs (on a machine with Python, pip and make) and reuses it next time.
#
#   make demo    try everything on sample data, offline
#   make demo-images   compare three features for similar images; writes build/digits.html
#   make test    the tests; `make .venv/.scale` first adds those of torch and Spark
#   make check   format, lint, types
#   make fuzz    random files for every reader: FUZZ_ARGS="--files 1000000", or --seconds 60
#   make sanitize      kernel tests and fuzzed files, on kernels built with sanitizers
#   make fuzz-native   coverage-guided fuzzing of the scanning kernel: FUZZ_ARGS="-max_total_time=60"
#   make bench   the benchmarks against other tools
#   make docs    the generated documentation, and the whole site: build/site/index.html
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
# Stamps: an empty file per finished step. An editable install picks up changed Python sources; a step runs again only when
# compiled sources or dependencies change.
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

# loadfile: one worker runs all tests of a file, so shared fixtures are built once.
test: $(VENV)/.test
	$(VENV)/$(BIN)/python -m pytest -n auto --dist loadfile $(PYTEST_ARGS)

fuzz: $(VENV)/.test
	$(VENV)/$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

# Build the kernels with address and undefined-behaviour sanitizers and bounds checks, in a separate folder: the first
# access out of bounds ends the step. Use the C library's allocator, because Python's own would hide some. Load the C++
# library first, because the sanitizer intercepts the exceptions of other extensions.
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

# -W: a broken link, or a page that docs/README.md does not list, is an error.
docs: $(VENV)/.docs
	$(VENV)/$(BIN)/python docs/generate.py
	$(VENV)/$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs/site -d build/doctrees . build/site
	@echo "the site: build/site/index.html"

# Check that the wheels of every platform are configured: print which ones would be built, build none.
release-check: $(VENV)/.release
	@for platform in linux macos windows; do \
	    echo "wheels for $$platform:"; \
	    $(VENV)/$(BIN)/cibuildwheel --print-build-identifiers --platform $$platform || exit 1; \
	done

clean:
	rm -rf $(VENV) $(BENCH_VENV) $(FUZZ_VENV) build dist .ci/report .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -f src/germane/kernels/*.so src/germane/kernels/*.pyd src/germane/kernels/*.c

# If Python lacks its bundled pip (as Debian's python3 does), the installed pip installs one. Dependency groups need
# pip 25.1.
%/.made:
	@echo "making $(@D) with $(PYTHON)"
	@$(PYTHON) -m venv $(@D) 2>/dev/null || \
	    { rm -rf $(@D) && $(PYTHON) -m venv --without-pip $(@D) && $(PYTHON) -m pip --python $(@D)/$(BIN)/python install --quiet pip; }
	@$(@D)/$(BIN)/python $(PIP_INSTALL) --upgrade "pip>=25.1"
	@touch $@

# Includes what the demo needs to stem words and draw figures. Compiled kernels are removed first, so that no stale ones
# remain if the new ones fail to compile.
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

# Dependencies of the GPU and cluster tests, besides Java; without them the tests skip and say why. Torch is installed first
# and separately, in its CPU-only build: any other downloads gigabytes for a GPU.
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
