PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
KUBECTL ?= kubectl
SOURCES := apis framework controllers hack tests

.DEFAULT_GOAL := help
.PHONY: help venv test check format lint types layers verify manifests install uninstall run demo \
	control-plane cluster cluster-down bench lock clean

help: ## List every target
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

$(STAMP): requirements/dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Windlass needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

venv: $(STAMP) ## Make .venv with every pinned dependency

test: $(STAMP) ## Run all tests; those on a real Kubernetes need `make control-plane` first
	$(BIN)/pytest -n 2 --dist loadgroup $(TESTS)

check: $(STAMP) format lint types layers verify ## Format, lint, types, layers, generated files

format: $(STAMP) ## Is the code formatted? (FIX=1 formats it)
	$(BIN)/ruff format $(if $(FIX),,--check) .

lint: $(STAMP) ## Lint (FIX=1 mends what it can)
	$(BIN)/ruff check $(if $(FIX),--fix) .

types: $(STAMP) ## Check types strictly
	$(BIN)/mypy

layers: $(STAMP) ## Check that imports go down only
	$(BIN)/lint-imports

verify: $(STAMP) ## Are the generated files those that the types give?
	hack/verify-codegen

manifests: $(STAMP) ## Regenerate crds/ from the types
	hack/update-codegen

install: ## Install the CRDs on the current context
	$(KUBECTL) apply --server-side -f crds/

uninstall: ## Remove the CRDs, and with them every object of theirs, from the current context
	$(KUBECTL) delete --ignore-not-found -f crds/

run: $(STAMP) ## Run the binary against the current context: make run ARGS="-mode=worker"
	$(BIN)/windlass $(ARGS)

demo: $(STAMP) ## Show the RequestState flow from end to end
	$(MAKE) -s control-plane >/dev/null
	@$(BIN)/python hack/demo

control-plane: ## Build a real Kubernetes for the tests; prints its folder
	@hack/control-plane/build

cluster: $(STAMP) ## Start a real control plane and leave it running; prints KUBECONFIG
	@$(BIN)/python hack/cluster up

cluster-down: $(STAMP) ## End what `make cluster` started
	@$(BIN)/python hack/cluster down

bench: ## Measure side by side with the kubernetes package and kopf
	hack/bench/run $(ARGS)

lock: $(STAMP) ## Pin the newest dependencies with their hashes
	hack/lock

clean: ## Remove .venv and every cache of this folder
	rm -rf $(VENV) .venv-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
