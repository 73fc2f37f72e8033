# Everything happens in a private environment, .venv; nothing is installed elsewhere.
# `make PYTHON=python3.12` chooses the interpreter, `make CXX=clang++` the compiler,
# `make test PYTEST_ARGS="-k losses"` the tests, `make WERROR=ON` makes compiler warnings errors,
# `make build ISA=native` compiles the widest instruction set of this machine alone, for development.

PYTHONS := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
COMPILERS := $(if $(filter-out default,$(origin CXX)),$(CXX),c++ g++ clang++)
WERROR ?= OFF
ISA ?= all
PYTEST_ARGS :=
PROCESSES := $(shell expr `getconf _NPROCESSORS_ONLN` + 1) # tests wait for browsers and services a third of their time
PLACES := arm64 clang libc++ python3.12 python3.13 python3.14
SECONDS := 60
SEED := 1

py := .venv/bin/python
pip = $(py) tools/progress.py "$(1)" $(py) -m pip install --disable-pip-version-check
native := CMakeLists.txt $(wildcard cpp/* cpp/*/* cpp/*/*/*)

.PHONY: help demo studio test bare wheels elsewhere bench golden docs fuzz check build clean always
.DELETE_ON_ERROR:

help: ## what can be made (this list)
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' Makefile

demo: build .venv/.certify ## spam, end to end: learn, test, explain, classify a message of your own
	@$(py) -m rosenblatt demo

studio: build .venv/.studio ## watch a separator learn, in a page of your browser
	@$(py) -m rosenblatt studio

test: check ## every check and every test
	@$(py) -m pytest -n $(PROCESSES) --dist loadscope $(PYTEST_ARGS) # a module runs in one of them

bare: build .venv/.test ## install a wheel without extras into an empty environment, and test it there
	@rm -rf build/bare && mkdir -p build/bare
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(py) -m pip wheel -qq --disable-pip-version-check --no-build-isolation --no-deps \
	  --config-settings=cmake.define.ROSENBLATT_WERROR=$(WERROR) --config-settings=cmake.define.ROSENBLATT_ISAS=$(ISA) \
	  --wheel-dir build/bare .
	@$(py) -m venv build/bare/environment
	@build/bare/environment/bin/python -m pip install -qq --disable-pip-version-check build/bare/*.whl
	@ROSENBLATT_BARE_PYTHON=$(CURDIR)/build/bare/environment/bin/python $(py) -m pytest -q tests/test_bare_install.py

wheels: .venv/.wheels ## the wheels of a release for Linux, into dist (TARGETS="x86-64 arm64"); needs python3.11 and python3.12
	@$(py) -m tools.wheels $(TARGETS)

elsewhere: build .venv/.test ## the contract under PLACES="arm64 clang libc++ python3.13", to the same bits
	@$(py) -m tools.elsewhere $(PLACES)

bench: build .venv/.bench ## every speed claim, as a ratio to its peers
	@$(py) -m bench $(BENCH_ARGS)

golden: build .venv/.test ## check that no result has changed by a bit (GOLDEN_ARGS=--quick)
	@$(py) -m tools.golden check $(GOLDEN_ARGS)

docs: build .venv/.docs .venv/.test ## build the site into build/site, and test it: links, search, accessibility
	@$(py) docs/reference.py
	@rm -rf docs/_api
	@$(py) -m sphinx -q -W --keep-going -a -d build/site-cache docs build/site # -a: of pages not written anew the search forgets the index
	@ROSENBLATT_SITE=$(CURDIR)/build/site $(py) -m pytest -q tests/docs/test_built_site.py
	@echo "file://$(CURDIR)/build/site/index.html"

fuzz: build .venv/.test ## damaged files to every command; native parsers on random input under sanitizers (SECONDS=600, SEED)
	@$(py) -m fuzz.files $(SECONDS) --seed $(SEED)
	@$(py) -m fuzz.model_file $(SECONDS)
	@$(py) -m fuzz.certificate $(SECONDS)
	@mkdir -p build
	@for target in $(wildcard fuzz/*.cpp); do \
	  name=build/fuzz-`basename $$target .cpp`; \
	  `$(first_compiler)` -std=c++20 -O2 -g -Wno-psabi -fsanitize=address,undefined -fno-sanitize-recover=all $(FUZZ_FLAGS) -Icpp $$target -o $$name && \
	  echo "$$target for $(SECONDS) s" && $$name $(SECONDS) $(SEED) fuzz/corpus/`basename $$target .cpp` || exit 1; done

check: build .venv/.test ## style and types
	@$(py) -m ruff check .
	@$(py) -m ruff format --check .
	@$(py) -m mypy

build: .venv/.built ## compile the native core, if its sources have changed
	@:

clean: ## remove everything that was made, the environment too
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# --- set-up, in the order it happens; each step leaves a stamp in .venv ---------------------------------------------

enough := import sys; sys.exit(sys.version_info < (3, 11))
complete := import ensurepip, os, sys, sysconfig, venv; \
  sys.exit(sys.version_info < (3, 11) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))
first_python = for p in $(PYTHONS); do $$p -c '$(1)' 2>/dev/null && echo $$p && break; done
first_compiler = for c in $(COMPILERS); do \
  echo 'int main() {}' | $$c -std=c++20 -x c++ -o /dev/null - 2>/dev/null && echo $$c && break; done

define no_python
Rosenblatt needs Python 3.11 or newer, and found none: install it (Debian, Ubuntu: python3-venv python3-dev; Fedora: python3-devel; macOS: brew install python), or name one with `make PYTHON=...`.
endef
define no_headers
This Python cannot build extensions or environments: install the rest of it (Debian, Ubuntu: sudo apt install python3-venv python3-dev; Fedora: sudo dnf install python3-devel).
endef
define no_compiler
Rosenblatt needs a compiler for C++20, and found none: install it (Debian, Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++; macOS: xcode-select --install), or name one with `make CXX=...`.
endef
export no_python no_headers no_compiler

.venv/.made:
	@test -n "`$(call first_python,$(enough))`" || { echo "$$no_python" >&2; exit 1; }
	@test -n "`$(call first_python,$(complete))`" || { echo "$$no_headers" >&2; exit 1; }
	@test -n "`$(first_compiler)`" || { echo "$$no_compiler" >&2; exit 1; }
	@echo "Making a private environment in .venv (once; a minute or two in all)"
	@rm -rf .venv && `$(call first_python,$(complete))` -m venv .venv
	@touch $@

.venv/.base: .venv/.made pyproject.toml
	@$(py) tools/requirements.py build base > $@.txt
	@$(call pip,Installing what is needed to build) cmake ninja -r $@.txt
	@touch $@

.venv/.certify .venv/.test .venv/.bench .venv/.docs .venv/.wheels .venv/.studio: .venv/.%: .venv/.base
	@$(py) tools/requirements.py $* > $@.txt
	@$(call pip,Installing what the extra $* needs) -r $@.txt
	@touch $@

# Written anew where ISA, WERROR or the list of packages has changed: the installation knows the place of each module.
.venv/.compiled-for: .venv/.made always
	@{ echo "ISA=$(ISA) WERROR=$(WERROR)"; find src -name __init__.py | sort; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
always:

.venv/.built: .venv/.base .venv/.compiled-for $(native)
	@test -n "`$(first_compiler)`" || { echo "$$no_compiler" >&2; exit 1; }
	@PATH="$(CURDIR)/.venv/bin:$$PATH" CXX="`$(first_compiler)`" $(call pip,Compiling the native core) -v \
	  --no-build-isolation --no-deps \
	  --config-settings=cmake.define.ROSENBLATT_WERROR=$(WERROR) \
	  --config-settings=cmake.define.ROSENBLATT_ISAS=$(ISA) --editable .
	@$(py) -m compileall -q src # once, since some environments forbid Python to write .pyc files at start
	@touch $@
