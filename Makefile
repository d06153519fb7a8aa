# Targets a contributor needs. Everything but `real` needs Go alone.

GO        ?= go
TOOLS      = $(GO) tool -modfile=tools/go.mod
BINARY     = flink-skew-exporter
VERSION_PKG = github.com/prometheus/common/version
LDFLAGS    = -X $(VERSION_PKG).Version=$(shell git describe --tags --always --dirty 2>/dev/null || echo unknown) \
             -X $(VERSION_PKG).Revision=$(shell git rev-parse HEAD 2>/dev/null || echo unknown) \
             -X $(VERSION_PKG).Branch=$(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)

.PHONY: build test lint vuln bench bench-json fuzz generate check test-real test-real-all

build: ## the binary, in this folder
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BINARY) ./cmd/flink-skew-exporter

# The exhaustive key-group properties have no concurrency to find races in and
# would take minutes under the detector, so they run once without it.
test: ## all tests of the product's module, race detector on; Go alone, no network
	$(GO) test -race ./...
	$(GO) test ./analysis/keygroup

lint: ## golangci-lint, as a Go tool
	$(TOOLS) golangci-lint run ./...
	cd test && $(GO) vet ./...

vuln: ## known vulnerabilities in what the binary calls
	$(TOOLS) govulncheck ./...

bench: ## cost of polling 10,000 to 1,000,000 subtasks, as a table
	$(GO) run ./bench/poll

bench-json: ## JSON libraries compared on the same bodies
	cd bench/json && $(GO) test -run '^$$' -bench . -benchmem

fuzz: ## a short, bounded run of every fuzz target
	$(GO) test ./restapi -run '^$$' -fuzz FuzzDecodeVertex -fuzztime 20s

generate: ## METRICS.md and the reference configuration, from the code
	$(GO) generate ./...

check: generate ## fails when a generated file is not what is committed
	git diff --exit-code -- METRICS.md deploy/reference-config.yaml

test-real: ## against a real Flink 2.3.0 (downloads it once; needs Java and pip)
	cd test && $(GO) test -count=1 -timeout 40m ./...

test-real-all: ## the same on every supported version
	for v in 2.3.0 1.20.3 1.18.1 1.17.2 1.15.4; do (cd test && FLINK_VERSION=$$v $(GO) test -count=1 -timeout 40m ./...) || exit 1; done
