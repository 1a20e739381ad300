# Every target sets up what it needs itself. `make` alone lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# In the order of their dependencies: pip takes a distribution that was named before from there.
DISTRIBUTIONS := contracts latency-estimator monitor sidecar papers deploy
EXTRAS_contracts := [rpc]
EXTRAS_monitor := [rates,dashboard]
SHIM := storm-scheduler/target/eyewall-storm-scheduler.jar
SOLVER_SOURCES := $(shell find sidecar/src papers/src -name '*.py')
DEFAULT_POLICIES := odp,bound_guided,greedy# of a sidecar that nobody has configured
OVERLAP := storm-scheduler/overlap/target/eyewall-storm-overlap.jar
OVERLAP_SOURCES := storm-scheduler/overlap/pom.xml $(shell find storm-scheduler/overlap/src -type f)
TOPOLOGIES := topologies/java/target/eyewall-topologies.jar
TOPOLOGIES_SOURCES := topologies/java/pom.xml $(shell find topologies/java/src -type f)
SHIM_SOURCES := storm-scheduler/pom.xml $(shell find storm-scheduler/src contracts/proto -type f)
CLUSTER ?= three-sites
STEP := $(PYTHON) tools/step.py
# Empty, as if unset: hundreds of processes would compile our own sources again, a second each.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help
help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

.PHONY: demo
demo: setup ## The main job: a real cluster, Storm's schedulers against Eyewall, a delay that changes
	@mkdir -p build && nice -n 19 $(MAKE) -s $(VENV)/.compiled > build/solvers.log 2>&1 &
	@rm -rf build/demo # so that it measures again
	@$(BIN)/eyewall-deploy trial demo --cluster $(CLUSTER) --output build/demo --keep $(ARGS)
	@echo "  make demo-down does so, too"

.PHONY: demo-down
demo-down: $(VENV)/.installed ## End what `make demo` left running
	@$(BIN)/eyewall-deploy down $(CLUSTER)

REPORTS := build/tests
PART := $(STEP) --folder $(REPORTS)
# The cluster's programs use most of the CPU for as long as it runs, so its tests come first: the
# sooner it is down, the less CPU all of it takes. The other parts take what it leaves.
PARTS := cluster java overlap topologies lint unit
LOW_PRIORITY := nice -n 19

.PHONY: test
test: prerequisites ## Checks and tests, also on a real cluster (all but two files)
	@rm -rf $(REPORTS)
	@$(MAKE) -s --no-print-directory --keep-going --jobs=$(words $(PARTS)) $(PARTS:%=part-%) || true
	@$(PYTHON) tools/summary.py $(REPORTS) $(foreach it,$(PARTS),$(it)$(if $(REPORTS_$(it)),=$(REPORTS_$(it))))

ON_CLUSTER := tests/cluster tests/browser
REPORTS_java := storm-scheduler/target/surefire-reports
REPORTS_overlap := storm-scheduler/overlap/target/surefire-reports
REPORTS_topologies := topologies/java/target/surefire-reports
PYTEST := $(BIN)/pytest --color=no
# In the order that tests/conftest.py gives: by the number of tests, xdist's own, the slowest would
# come last, since what starts a whole program is mostly alone in its file.
SIDE_BY_SIDE := -n 4 --dist loadfile --no-loadscope-reorder

.PHONY: $(PARTS:%=part-%)
# Minutes of programs' starts that `make test` has no room for: `make test-cluster` has the first,
# `make test-unit` the second.
LEFT_OUT := tests/cluster/test_moves_without_a_gap.py tests/monitor/rates/test_standalone_cluster.py

part-cluster: $(VENV)/.compiled-defaults storm browser $(OVERLAP) $(TOPOLOGIES)
	@$(PART) cluster $(PYTEST) --junitxml=$(REPORTS)/cluster.xml $(ON_CLUSTER) $(LEFT_OUT:%=--ignore=%)

part-java: $(SHIM) storm
	@$(PART) java $(LOW_PRIORITY) mvn -B -ntp -q -f storm-scheduler/pom.xml test

part-overlap: $(OVERLAP) part-java
	@$(PART) overlap $(LOW_PRIORITY) mvn -B -ntp -q -f storm-scheduler/overlap/pom.xml test

part-topologies: $(TOPOLOGIES) part-overlap
	@$(PART) topologies $(LOW_PRIORITY) mvn -B -ntp -q -f topologies/java/pom.xml test

part-lint: $(VENV)/.installed
	@$(PART) lint $(LOW_PRIORITY) env -u MAKEFLAGS -u MFLAGS $(MAKE) --no-print-directory lint

part-unit: $(VENV)/.compiled $(SHIM) $(TOPOLOGIES) storm browser
	@$(PART) unit $(LOW_PRIORITY) $(PYTEST) $(SIDE_BY_SIDE) --junitxml=$(REPORTS)/unit.xml $(patsubst %,--ignore=%,$(ON_CLUSTER) $(LEFT_OUT))

PROCESSES ?= 3

.PHONY: test-unit
test-unit: setup ## Python tests that need no Storm cluster, in PROCESSES=3 at once (ARGS=)
	@$(BIN)/pytest -n $(PROCESSES) --dist loadfile $(patsubst %,--ignore=%,$(ON_CLUSTER)) $(ARGS)

.PHONY: test-cluster
test-cluster: setup browser ## Python tests on a real Storm cluster, also in a browser (ARGS=)
	@$(BIN)/pytest $(ON_CLUSTER) $(ARGS)

.PHONY: test-java
test-java: $(SHIM) $(OVERLAP) $(TOPOLOGIES) ## Java tests of the shim, of moves without a gap, and of the topologies
	@mvn -B -ntp -q -f storm-scheduler/pom.xml test
	@mvn -B -ntp -q -f storm-scheduler/overlap/pom.xml test
	@mvn -B -ntp -q -f topologies/java/pom.xml test

.PHONY: test-storm-versions
test-storm-versions: setup ## Build and test the Java parts with each version of Storm that Eyewall is tested with
	@$(BIN)/python tools/storm_versions.py $(ARGS)

.PHONY: test-storm
test-storm: setup $(SHIM) ## Storm's own tests of its scheduler against ours (STORM_SOURCE=, ARGS=--deciding)
	@$(BIN)/python tools/storm_tests.py "$(STORM_SOURCE)" $(ARGS)

TYPED := $(wildcard */src) deploy/images/image_check deploy/release tests benchmarks tools

.PHONY: lint lint-ruff lint-format lint-types lint-imports
lint: lint-ruff lint-format lint-types lint-imports ## ruff, mypy --strict, import-linter

lint-ruff: $(VENV)/.installed
	@$(BIN)/ruff check --quiet .

lint-format: $(VENV)/.installed
	@$(BIN)/ruff format --check --quiet .

lint-types: $(VENV)/.installed
	@$(BIN)/mypy --no-error-summary $(filter-out topologies/src storm-scheduler/src,$(TYPED))

lint-imports: $(VENV)/.installed
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports

.PHONY: browser
browser: ## Chromium for the tests in a browser: as root on Debian it is installed where there is none
	@for name in $(CHROMIUM_NAMES); do ! command -v "$$name" >/dev/null || exit 0; done; \
	if [ "$$(id -u)" = 0 ] && grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then \
	  echo "installing Chromium (once; a minute) …"; export DEBIAN_FRONTEND=noninteractive; \
	  said="$$({ apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } 2>&1)" || \
	    echo "Debian's chromium could not be installed: $$said"; \
	fi
CHROMIUM_NAMES = "$${EYEWALL_CHROMIUM:-chromium}" chromium chromium-browser google-chrome

.PHONY: proto
proto: setup ## Regenerate the committed Python stubs from the .proto files
	@PATH="$(CURDIR)/$(BIN):$$PATH" PYTHON=$(CURDIR)/$(BIN)/python contracts/generate.sh

.PHONY: settings
settings: setup ## Generate the shim's list of eyewall.* keys, and the containers' storm.yaml
	@$(BIN)/python tools/shim_keys.py
	@$(BIN)/python tools/compose_settings.py

.PHONY: types
types: setup ## Generate the pages' types from the dashboard's API, and check the pages against them (needs npx)
	@$(BIN)/python tools/api_types.py
	@npx --yes --package typescript@5.9 tsc -p monitor/jsconfig.json

.PHONY: vendor
vendor: ## Fetch the dashboard's libraries from npm again, by the versions in monitor/vendor.sh (needs npm)
	@monitor/vendor.sh

.PHONY: dist
dist: setup $(SHIM) $(OVERLAP) ## dist/eyewall-VERSION.tar.gz: wheels, jars, examples, units, for a cluster of yours
	@$(BIN)/python deploy/release/make.py --jar $(SHIM) --overlap $(OVERLAP)

.PHONY: images-check
images-check: setup ## Build every image by buildah and run what is in it (as root; ARGS=)
	@PYTHONPATH=deploy/images $(BIN)/python -m image_check $(ARGS)

.PHONY: reproduce
reproduce: setup ## The papers' experiments; pictures to papers/docs (DATA=DIR for paper 001's delays)
	@for name in 000 002 003 004; do $(BIN)/python -m eyewall_papers $$name --plots papers/docs || exit 1; done
	@$(if $(DATA),$(BIN)/python -m eyewall_papers 001 --matrix $(DATA)/latency/planetlab_490_t1.tsv.gz --graphs6 1000 --graphs12 2000 --plots papers/docs,echo "for paper 001 say DATA=DIR (with latency/)")

.PHONY: setup
setup: prerequisites ## What the other targets need, side by side: packages, solvers, scheduler jar
	@$(MAKE) -s --no-print-directory --jobs=2 $(VENV)/.compiled-defaults storm $(OVERLAP) $(TOPOLOGIES)

$(VENV)/.installed: constraints.txt requirements-dev.txt $(DISTRIBUTIONS:=/pyproject.toml) | prerequisites
	@$(STEP) packages $(PYTHON) tools/environment.py $(VENV) \
	  $(foreach d,$(DISTRIBUTIONS),$(d)$(EXTRAS_$(d))) -- -r requirements-dev.txt
	@touch $@

COMPILE := $(BIN)/python -m eyewall_sidecar.policies.compile_ahead --processes 2

$(VENV)/.compiled-defaults: $(VENV)/.installed $(SOLVER_SOURCES)
	@$(STEP) solvers $(COMPILE) --policies $(DEFAULT_POLICIES)
	@touch $@

$(VENV)/.compiled: $(VENV)/.compiled-defaults
	@$(STEP) 'other solvers' $(LOW_PRIORITY) $(COMPILE)
	@touch $@

# A short run: what the JVM would gain by optimising it loses in doing so.
MAVEN := MAVEN_OPTS="-XX:TieredStopAtLevel=1 $${MAVEN_OPTS:-}"

$(SHIM): $(SHIM_SOURCES) | prerequisites
	@$(MAVEN) $(STEP) --count 'Downloaded from' 'scheduler jar' mvn -B -f storm-scheduler/pom.xml -DskipTests package
	@touch $@

$(OVERLAP): $(OVERLAP_SOURCES) | storm
	@$(MAVEN) $(STEP) --count 'Downloaded from' 'overlap jar' mvn -B -f storm-scheduler/overlap/pom.xml -DskipTests package
	@touch $@

$(TOPOLOGIES): $(TOPOLOGIES_SOURCES) | storm $(OVERLAP)
	@$(MAVEN) $(STEP) --count 'Downloaded from' 'topologies jar' mvn -B -f topologies/java/pom.xml -DskipTests package
	@touch $@

.PHONY: storm
storm: $(SHIM) # after the jar: Maven's repository is for one at a time
	@$(MAVEN) PYTHONPATH=deploy/src $(STEP) "Storm's jars" $(PYTHON) -m eyewall_deploy.storm.home

.PHONY: prerequisites
prerequisites:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
	  { echo "eyewall needs Python 3.11 with venv as '$(PYTHON)' (say PYTHON=… where it has another name)"; exit 1; }
	@javac -version 2>&1 | grep -qE '^javac (1[7-9]|2[0-9])' || { echo "eyewall needs a JDK of version 17 or later: no such 'javac' on PATH"; exit 1; }
	@mvn -v >/dev/null 2>&1 || { echo "eyewall needs Maven: no 'mvn' on PATH"; exit 1; }
