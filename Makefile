# The only interface that people and CI use. Every target does all the set-up it needs, from a machine with
# nothing but Python >= 3.10 (and a JDK >= 17, or Debian and root to install one).

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
PYTHONS := python3 python3.13 python3.12 python3.11 python3.10
WAREHOUSE ?=
BENCH ?=

.DEFAULT_GOAL := help
.PHONY: help demo test test-full soak lint bench docs wheel jar clean
.DELETE_ON_ERROR:

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '%-10s %s\n' "$$name" "$$text"; done

demo: $(VENV)/.demo jar ## the main job on the flights of 2013 (WAREHOUSE=dir keeps the tables)
	$(BIN)/spark-paimon demo $(if $(WAREHOUSE),--warehouse '$(WAREHOUSE)')

# Two processes: half of the time goes by waiting for disks, servers and JVMs that start. Files stay together,
# since the tests of one share tables and sessions.
test: lint jar ## lint, tests without a JVM, then tests on Spark
	$(PYTEST) -n 2 -m 'not slow' --doctest-modules spark_paimon tests/unit
	$(PYTEST) -n 2 --dist loadfile -m 'not slow' tests/spark tests/submit tests/notebook

test-full: lint jar ## all tests, the slow ones too
	$(PYTEST) -n 2 --doctest-modules spark_paimon tests/unit
	$(PYTEST) -n 2 --dist loadfile tests/spark tests/submit tests/notebook

soak: $(VENV)/.dev jar ## many thousand calls in one session; a server under the load of 16 clients
	$(PYTEST) tests/soak

lint: $(VENV)/.dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev jar ## read and write times against Spark's own (BENCH='--rows 1000000' for other sizes)
	$(BIN)/python -m benchmarks $(BENCH)

docs: $(VENV)/.dev ## write the generated page of docs/ anew
	$(BIN)/python -m spark_paimon.options > docs/options.md

wheel: $(VENV)/.build ## the wheel with the jar in it, in dist/
	$(PIP) wheel --quiet --no-build-isolation --no-deps --wheel-dir dist .
	@ls dist/*.whl

jar: $(VENV)/.build ## build the jar in place, if its sources changed
	@$(BIN)/python hatch_build.py

clean: ## remove the environment and everything built
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis spark_paimon/jars
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up: a stamp for each step, redone when pyproject.toml changes ---

$(BIN)/python:
	@for candidate in $(PYTHONS); do \
	    if $$candidate -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' 2>/dev/null; then \
	        echo "setup: virtual environment in $(VENV) with $$($$candidate --version)"; \
	        if ! $$candidate -c 'import ensurepip' 2>/dev/null; then $(call debian_install,python3-venv); fi; \
	        exec $$candidate -m venv $(VENV); \
	    fi; \
	done; \
	echo 'setup: needs a Python from 3.10 to 3.13, and none of $(PYTHONS) is one' >&2; exit 1

$(VENV)/.jdk: | $(BIN)/python
	@if ! $(BIN)/python hatch_build.py --check-jdk >/dev/null 2>&1; then \
	    $(call debian_install,openjdk-17-jdk-headless) || $(call debian_install,default-jdk-headless) || true; \
	fi
	@$(BIN)/python hatch_build.py --check-jdk > $@ || { rm -f $@; exit 1; }

# The package itself without build isolation, so that pyspark (450 MB) is fetched once and not for each build;
# then what an extra needs, by name, since the package is there already.
$(VENV)/.build: pyproject.toml | $(BIN)/python $(VENV)/.jdk
	@sed -n 's/^requires = \[\(.*\)\]$$/\1/p' pyproject.toml | sed 's/", "/\n/g; s/"//g' > $(VENV)/build-requirements.txt
	@echo "setup: installing $$(paste -sd ' ' $(VENV)/build-requirements.txt) (450 MB the first time)"
	@$(PIP) install --quiet --requirement $(VENV)/build-requirements.txt
	@touch $@

$(VENV)/.package: $(VENV)/.build
	@echo 'setup: installing spark-paimon from this folder'
	@$(PIP) install --quiet --no-build-isolation --editable .
	@touch $@

$(VENV)/.demo: $(VENV)/.package
	@echo 'setup: installing the extra demo'
	@$(PIP) install --quiet 'spark-paimon[demo]'
	@touch $@

$(VENV)/.dev: $(VENV)/.package $(VENV)/.postgres
	@echo 'setup: installing the extras test and lint'
	@$(PIP) install --quiet 'spark-paimon[test,lint]'
	@touch $@ $(VENV)/.demo

# Tests start a server of their own; Debian's package would start another one, unless its settings were there first.
$(VENV)/.postgres: | $(BIN)/python
	@if ! $(BIN)/python -m tests.postgres >/dev/null 2>&1; then \
	    { $(call debian_install,postgresql-common) && \
	      sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf && \
	      $(call debian_install,postgresql); } || true; \
	fi
	@$(BIN)/python -m tests.postgres >$@ || \
	    { cp /dev/null $@; echo 'setup: tests that need PostgreSQL will be skipped' >&2; }

# $(call debian_install,PACKAGE): only where it can work unasked, which is Debian (or a child of it) as root.
debian_install = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
    echo 'setup: apt-get install $(1)' && \
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $(1) >/dev/null; }; }
