# What a contributor needs. "make test" needs Go alone; CONTRIBUTING.md says
# what the others need. "make" lists the targets.

GO       ?= go
BINARY    = flink-skew-exporter
FUZZTIME ?= 10s

# The linter and govulncheck are Go tools of a module of their own, which keeps
# their dependencies out of the product's.
TOOLS = $(GO) tool -modfile=$(CURDIR)/tools/go.mod

# The other modules: dependencies that only they need stay out of the product's.
MODULES := $(filter-out tools test,$(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod)))

VERSION_PKG = github.com/prometheus/common/version
LDFLAGS     = -X $(VERSION_PKG).Version=$(shell git describe --tags --always --dirty 2>/dev/null || echo unknown) \
              -X $(VERSION_PKG).Revision=$(shell git rev-parse HEAD 2>/dev/null || echo unknown) \
              -X $(VERSION_PKG).Branch=$(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)

# Files that "make generate" writes.
GENERATED = METRICS.md deploy/reference-config.yaml ':(glob)dashboards/*.json' \
            deploy/helm/flink-skew-exporter/files deploy/kubernetes/prometheus-operator/prometheusrule.yaml

# Linux links the race detector by a C compiler. Without one the tests run all
# the same, and say what they lack.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

.PHONY: help matrix build cross test test-modules test-alerts test-alerts-current test-dashboards lint vuln bench bench-fleet bench-json fuzz generate check test-real test-real-full test-real-all

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

build: ## the binary, in this folder
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BINARY) ./cmd/flink-skew-exporter

# The exhaustive key-group properties and the sweep of the verdicts share nothing
# between goroutines and would take minutes under the detector, so that these
# packages run once more without it.
test: ## all tests of the product's module, race detector on; needs Go alone
	@$(if $(RACE),,echo "no C compiler found: testing without the race detector")
	$(GO) test $(RACE) ./...
	$(GO) test ./analysis ./analysis/keygroup

test-modules: ## tests of the other modules
	set -e; for m in $(MODULES); do echo "$$m:"; (cd $$m && $(GO) test ./...); done

test-alerts: ## the rules' own tests: when each alert fires, when it is silent; needs promtool
	promtool check rules alerts/*.rules.yml
	promtool test rules alerts/tests/*.yml

test-alerts-current: ## the same tests with a current Prometheus as a library; test-modules runs them too
	cd alerts/current && $(GO) test -count=1 ./...

test-dashboards: build ## every query of the dashboards in a real Prometheus that scrapes the demo; an empty panel fails
	cd dashboards && $(GO) run ./prove --exporter=../$(BINARY) --range=1m

lint: ## golangci-lint over every module
	set -e; for m in . $(MODULES) test; do echo "$$m:"; (cd $$m && $(TOOLS) golangci-lint run ./...); done

vuln: ## known vulnerabilities in what the binary calls; asks vuln.go.dev
	$(TOOLS) govulncheck ./...

cross: ## the binary for every platform of a release, to see that it compiles
	set -e; for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do echo "$$p:"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -o /dev/null ./cmd/flink-skew-exporter; done

bench: ## cost of polling 10,000 to 1,000,000 subtasks, as a table
	$(GO) run ./bench/poll

bench-fleet: ## cost of polling 200 clusters in one process; takes five minutes
	$(GO) run ./bench/fleet

bench-json: ## JSON libraries compared on the same bodies
	cd bench/json && $(GO) test -run '^$$' -bench . -benchmem

fuzz: ## every fuzz target for FUZZTIME (10s)
	set -e; grep -rlE --include='*_test.go' '^func Fuzz' . | sort | while read -r f; do \
		for t in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$$f"); do \
			(cd "$$(dirname "$$f")" && $(GO) test . -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x) </dev/null; \
		done; done

matrix: ## verdicts on the recordings of real clusters, and a sweep over simulated ones
	$(GO) test ./analysis -count=1 -run 'TestMatrix|TestSweep' -v | grep -v '^=== '

generate: ## METRICS.md, the reference configuration, the dashboards and the packages' copies, from the code
	set -e; for m in . $(MODULES); do (cd $$m && $(GO) generate ./...); done

check: generate ## fails when a generated file is not the committed one
	@git diff --exit-code -- $(GENERATED)
	@new=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
		[ -z "$$new" ] || { echo "generated but not committed: $$new" >&2; exit 1; }
	@echo "generated files are up to date"

test-real: ## against real Flink 2.3.0, downloaded once; test/install-tools.sh gets what it needs
	cd test && $(GO) test -count=1 -timeout 40m ./...

test-real-full: ## all of it against real Flink 2.3.0, with Kafka; needs Maven too
	FLINK_SKEW_FULL=1 sh test/install-tools.sh
	cd test && FLINK_SKEW_FULL=1 $(GO) test -count=1 -timeout 60m ./...

test-real-all: ## the same against every supported version
	set -e; for v in 2.3.0 1.20.3 1.18.1 1.17.2 1.15.4; do echo "Flink $$v:"; (cd test && FLINK_VERSION=$$v $(GO) test -count=1 -timeout 40m ./...); done
