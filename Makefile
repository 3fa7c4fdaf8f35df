# What there is to do with this project; `make help` lists it.

CARGO ?= cargo
DIR ?= corpus/good

.DEFAULT_GOAL := help
.PHONY: help build demo test check bless bench validate install audit dist

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build the optimized binary
	$(CARGO) build --release --locked

demo: ## vet the example run data in corpus/
	$(CARGO) build --release --locked
	$(CARGO) run --release --locked --quiet -- validate corpus/demo || test $$? -eq 1

test: ## run all tests
	$(CARGO) test --locked

check: ## what must pass before a change is merged: format, lints, tests, documentation, licences
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	$(CARGO) test --locked
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --quiet
	@$(MAKE) --no-print-directory audit

audit: ## check licences, bans and sources of dependencies
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny --locked check licenses bans sources; \
	else echo "cargo-deny is not installed; get it with: cargo install cargo-deny --locked"; exit 1; fi

bless: ## rewrite the files that are derived from the code, and the snapshots; then look at the difference
	BLESS=1 SNAPSHOTS=overwrite $(CARGO) test --locked --test it

bench: ## time the binary beside the floor that reading alone takes
	$(CARGO) bench --locked --bench validate

dist: ## build what is released, as far as this machine can, and try it
	CARGO="$(CARGO)" packaging/dist.sh

validate: ## vet run data: make validate DIR=path
	$(CARGO) run --release --locked --quiet -- validate $(DIR)

install: ## install the binary
	$(CARGO) install --locked --path .
