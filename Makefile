PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
STAMP := $(VENV)/.installed
KUBECTL ?= kubectl
IMG ?= windlass:0.1.0

.DEFAULT_GOAL := help
.PHONY: help venv test check format lint types layers verify manifests install uninstall run demo demo-down laf-demo peerpods-demo \
	peerpods-scale workers-demo workers-scale fidelity docker-build docker-push deploy undeploy sbom audit licences e2e control-plane wrangler \
	cluster cluster-down bench bench-laf bench-apiserver bench-startup simulate mutants replay programs lock clean

help: ## List every target
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

# Enough to run the program: what `make demo` needs.
$(RUNTIME): requirements/runtime.txt requirements/build.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Windlass needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# libvirt's Python package is built on the spot: without its headers the tests that need it are skipped by name.
$(STAMP): $(RUNTIME) requirements/dev.txt requirements/libvirt.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@if pkg-config --exists libvirt 2>/dev/null; then \
		$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/libvirt.txt; \
	else echo "no libvirt here (Debian: libvirt-dev, pkg-config): its tests are skipped"; fi
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

manifests: $(STAMP) ## Regenerate crds/ from the types, and the rules of the roles from the registrations
	hack/update-codegen

install: ## Install the CRDs on the current context
	$(KUBECTL) apply --server-side -f crds/

uninstall: ## Remove the CRDs, and with them every object of theirs, from the current context
	$(KUBECTL) delete --ignore-not-found -f crds/

docker-build: ## Build the image with docker, podman or buildah: make docker-build IMG=NAME:TAG EXTRAS="aws gcp"
	EXTRAS="$(EXTRAS)" PYTHON_IMAGE="$(PYTHON_IMAGE)" hack/image build $(IMG)

docker-push: ## Push it: make docker-push IMG=NAME:TAG
	hack/image push $(IMG)

deploy: $(STAMP) ## Install or upgrade the chart on the current context: make deploy IMG=NAME:TAG
	hack/deploy up $(IMG)

undeploy: $(STAMP) ## Remove it from the current context, all but the CRDs
	hack/deploy down

sbom: $(STAMP) ## Write what the image is made of into build/sbom.json (CycloneDX)
	$(BIN)/python -m hack.supply_chain sbom

audit: $(STAMP) ## Are there known vulnerabilities in what the image is made of? Skipped by name where nobody can be asked
	$(BIN)/python -m hack.supply_chain audit

licences: $(STAMP) ## Write the licences of what the image is made of into docs/licences.md
	$(BIN)/python -m hack.supply_chain licences

e2e: $(STAMP) control-plane ## Run the chart on a real node of this machine: kubelet, containerd, an image built here
	$(BIN)/python -m hack.e2e

run: $(STAMP) ## Run the binary against the current context: make run ARGS="-mode=worker"
	$(BIN)/windlass $(ARGS)

demo: $(RUNTIME) ## Show the RequestState flow on the embedded API server, and leave it running
	@$(BIN)/python hack/demo

demo-down: $(RUNTIME) ## End what `make demo` left running
	@$(BIN)/python hack/demo down

laf-demo: $(STAMP) ## Show the samples of laf at work: a hub, a complete remote cluster, one Application up and down
	@$(BIN)/python hack/laf-demo

peerpods-demo: $(STAMP) ## Show a VM being deleted because its pod went: a real control plane, moto instead of EC2
	@$(BIN)/python hack/peerpods-demo

peerpods-scale: $(STAMP) ## Divide VMs between many nodes that kwok plays: make peerpods-scale NODES=1000
	WINDLASS_KWOK_NODES=$(or $(NODES),1000) $(BIN)/pytest -q -s -n0 tests/integration/peerpods/test_kwok.py

workers-demo: $(STAMP) ## Show Workers on Kubernetes: wrangler deploys, workerd answers (needs `make wrangler` and docker-registry)
	@$(BIN)/python hack/workers-demo

workers-scale: $(STAMP) ## Deploy many scripts again and again: make workers-scale DEPLOYMENTS=200
	WINDLASS_WORKER_DEPLOYMENTS=$(or $(DEPLOYMENTS),200) $(BIN)/pytest -q -n0 tests/component/workers/test_many.py

control-plane: ## Build a real Kubernetes for the tests; prints its folder
	@hack/control-plane/build

wrangler: ## Install the real wrangler and workerd for the tests; prints their folder
	@hack/wrangler/install

cluster: $(STAMP) ## Start a real control plane and leave it running; prints KUBECONFIG
	@$(BIN)/python hack/cluster up

cluster-down: $(STAMP) ## End what `make cluster` started
	@$(BIN)/python hack/cluster down

fidelity: $(STAMP) ## Show how faithful the embedded API server is, behaviour by behaviour
	@$(BIN)/python hack/fidelity $(ARGS)

bench: $(STAMP) ## Measure side by side with the kubernetes package and kopf, then Instances on many clusters
	hack/bench/run $(ARGS)
	hack/bench/laf/run $(filter --quick,$(ARGS))

bench-laf: $(STAMP) ## Measure only Instances on many clusters
	hack/bench/laf/run $(ARGS)

bench-apiserver: $(STAMP) ## Measure the embedded API server beside etcd and kube-apiserver
	hack/bench/apiserver/run $(ARGS)

bench-startup: $(STAMP) ## Measure the time from the start of the binary to ready
	hack/bench/startup/run $(ARGS)

simulate: $(STAMP) ## Try every fault plan on every controller here, and 1,000 random ones: make simulate SEEDS=10000
	@SEEDS=$(SEEDS) $(BIN)/python -m tests.simulation.everything

mutants: $(STAMP) ## Show that the simulation finds known bugs: which oracle, after how many plans
	@$(BIN)/python -m tests.simulation.mutants.table $(ARGS)

replay: $(STAMP) ## Try fault plans on real processes and a real API server too: make replay PLANS=2 (of each sort and controller)
	@PLANS=$(PLANS) $(BIN)/python -m tests.integration.simulation.table $(ARGS)

programs: $(STAMP) ## Run random programs on the embedded and the real API server: make programs PROGRAMS=20000 SEED=1
	WINDLASS_PROGRAMS=$(or $(PROGRAMS),2000) WINDLASS_PROGRAMS_SEED=$(or $(SEED),0) $(BIN)/pytest -q -n 2 --dist loadgroup tests/conformance/programs

lock: $(STAMP) ## Pin the newest dependencies with their hashes
	hack/lock

clean: ## Remove .venv and every cache of this folder
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
