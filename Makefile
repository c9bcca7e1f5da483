# What can be done here; `make help` lists it. Nothing in the repository is generated, so there is no step before these.

TEMPORAL_VERSION := v1.5.1
FUZZTIME         ?= 20s
ROUNDS           ?= 20
ARGS             ?=
TESTFLAGS        ?=

SHELL := /bin/sh
.DEFAULT_GOAL := help
export CGO_ENABLED = 1

# $(call slowly,WHAT,COMMAND) runs a command that may take minutes and says every 5 s how far it is. The command
# prints a line a compiled package (go … -v); they are shown only when it fails.
define slowly
	@log=$$(mktemp) && { while sleep 5 >/dev/null 2>&1 && kill -0 $$$$ 2>/dev/null; do \
		n=$$((n + 5)); echo "  $(1): $$(grep -c . "$$log") packages compiled, $$n s"; done & } && ticker=$$! && \
	trap 'kill $$ticker 2>/dev/null; rm -f "$$log"' EXIT && trap 'exit 130' INT TERM && \
	{ $(2) >"$$log" 2>&1 || { grep -v '^[a-z0-9./_-]*$$' "$$log" | tail -n 40 >&2; echo "$(1) could not be built; the reason is above" >&2; exit 1; }; }
endef

.PHONY: help
help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "ARGS goes to the program (make run ARGS='--data /tmp/d --listen :9090'), TESTFLAGS to go test,"
	@echo "FUZZTIME (20s) is the time for each fuzz test, ROUNDS (20) how often test-faults kills processes."

# What the build needs, asked before anything that takes long.
.PHONY: tools
tools:
	@command -v go >/dev/null || { echo "Go is missing: install Go $$(sed -n 's/^go //p' go.mod) or newer from https://go.dev/dl/" >&2; exit 1; }
	@need=$$(sed -n 's/^go //p' go.mod); have=$$(go env GOVERSION 2>/dev/null | sed 's/^go//; s/[ -].*//'); \
	if [ -z "$$have" ] || [ "$$(printf '%s\n%s\n' "$$need" "$$have" | sort -V | head -n 1)" != "$$need" ]; then \
		echo "Go $$need or newer is needed, and this is $$(go version 2>/dev/null | cut -d' ' -f3): install it from https://go.dev/dl/, or let go fetch it (go env -w GOTOOLCHAIN=auto)" >&2; exit 1; fi
	@cc=$$(go env CC); printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' | $$cc -x c -o /dev/null - 2>/dev/null || { \
		echo "A C compiler is missing ($$cc does not compile): install one, on Debian with apt-get install gcc libc6-dev" >&2; exit 1; }

.PHONY: build
build: tools bin/temporal-$(TEMPORAL_VERSION) platform ## build bin/platform and bin/temporal (the first time about 3 minutes)

.PHONY: platform
platform: tools
	$(call slowly,bin/platform,go build -v -o bin/platform ./cmd/platform)

# Phony, for what counts is the version of what lies there.
.PHONY: bin/temporal-$(TEMPORAL_VERSION)
bin/temporal-$(TEMPORAL_VERSION): tools
	@if ! go version -m bin/temporal 2>/dev/null | grep -q "github.com/temporalio/cli[[:space:]]$(TEMPORAL_VERSION)[[:space:]]"; then \
		$(MAKE) --no-print-directory temporal; fi

.PHONY: temporal
temporal: tools
	@echo "Building the Temporal server $(TEMPORAL_VERSION): once, about 2.5 minutes on two cores"
	$(call slowly,bin/temporal,GOBIN=$(CURDIR)/bin go install -v github.com/temporalio/cli/cmd/temporal@$(TEMPORAL_VERSION))

.PHONY: run
run: build ## build and run the whole platform on this machine; Ctrl-C stops it
	@exec bin/platform dev $(ARGS)

.PHONY: postgres
postgres:
	@if [ -z "$$PLATFORM_TEST_POSTGRES" ] && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null; then \
		echo "The tests need PostgreSQL's programs: apt-get install postgresql (they start a server of their own), or name one in PLATFORM_TEST_POSTGRES" >&2; exit 1; fi

.PHONY: test
test: tools postgres build vet workflowcheck ## run every test, on SQLite and PostgreSQL, with a real Temporal
	@go test -count=1 -timeout 20m $(TESTFLAGS) ./...

.PHONY: test-race
test-race: tools postgres build ## the same under the race detector (slow)
	@go test -count=1 -timeout 40m -race $(TESTFLAGS) ./...

.PHONY: test-faults
test-faults: tools postgres build ## kill processes at random moments for ROUNDS rounds (3 of them are in make test)
	@PLATFORM_TEST_ROUNDS=$(ROUNDS) go test -count=1 -timeout 2h -v $(TESTFLAGS) ./e2e/faults

.PHONY: vet
vet: tools ## go vet
	@go vet ./...

.PHONY: lint
lint: tools ## formatting, go vet, the linters of .golangci.yml, the rules of the house
	@unformatted=$$(find . -name '*.go' -not -path './node_modules/*' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then echo "not formatted (gofmt -w):" >&2; echo "$$unformatted" >&2; exit 1; fi
	@go vet ./...
	@go test -count=1 ./archtest
	@$(MAKE) --no-print-directory workflowcheck
	@PATH="$$PATH:$$(go env GOPATH)/bin"; if command -v golangci-lint >/dev/null; then golangci-lint run; else \
		echo "golangci-lint is not installed, so .golangci.yml was not checked: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.2"; fi

.PHONY: workflowcheck
workflowcheck: tools ## find what would make a workflow decide otherwise when it is replayed
	@go run go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0 ./workflows/...

.PHONY: fuzz
fuzz: tools ## run each fuzz test for FUZZTIME
	@grep -rE --include='*_test.go' '^func Fuzz' . | sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|\1 \2|' | sort -u | \
	while read -r folder name; do echo "$$folder $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$folder" </dev/null || exit 1; done

.PHONY: bench
bench: tools ## measure a call through the whole stack beside its bare limits
	@go run ./bench $(ARGS)
	@go test -run '^$$' -bench 'Names$$|RoundTrip|Burst|BarePost|Show' ./matching ./platform/wire ./platform/webhooks ./platform/files

.PHONY: clean
clean: ## remove what was built; data folders stay
	rm -rf bin coverage.out
