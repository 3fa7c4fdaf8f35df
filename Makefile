# What there is to do with this project; `make help` lists it.

CARGO ?= cargo
DIR ?= corpus/good
SECONDS ?= 60
SESSIONS ?= 10000

.DEFAULT_GOAL := help
.PHONY: help build demo test browser python engines lint check hooks rule bless released docs bench validate install audit fuzz crash dist

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build the optimized binary
	$(CARGO) build --release --locked

demo: ## check the example run data in corpus/, with a development build that has this command alone
	$(CARGO) run --locked --no-default-features --features minimal -- validate corpus/demo || test $$? -eq 1
	@echo "Three of the five runs are broken on purpose. Nothing is installed, so type target/debug/runvet for runvet. See all of one run: target/debug/runvet validate --verbose corpus/demo/episodes/ep_03_edited"

test: ## run all tests, and count those that can't run here
	@CARGO="$(CARGO)" tests/run

browser: ## try the page in a real browser; BLESS=1 also takes the pictures in docs/images
	@CARGO="$(CARGO)" tests/browser/run

lint: ## check format, lints, features, documentation, workflows and licences
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --locked --all-targets --bench validate -- -D warnings
	@# With all features, nobody notices what one of them lacks.
	for features in "" expressions minimal commands; do $(CARGO) check --locked --quiet --no-default-features --features "$$features" || exit 1; done
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --quiet
	$(CARGO) fmt --manifest-path python/Cargo.toml -- --check
	CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target}/python $(CARGO) clippy --manifest-path python/Cargo.toml --locked --all-targets -- -D warnings
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml -- --check
	@# Any name keeps it from compiling the fuzzer itself, and the profile is that of the crate, whose dependencies it shares.
	CUSTOM_LIBFUZZER_PATH=fuzz/seed CARGO_PROFILE_DEV_DEBUG=false CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target} $(CARGO) check --manifest-path fuzz/Cargo.toml --locked --bins
	@tools/workflows
	@$(MAKE) --no-print-directory audit

check: lint test ## what must pass before a change is merged

audit: ## check licences, bans, sources and, where their database can be reached, advisories of dependencies
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny --log-level error --locked check licenses bans sources \
	&& $(CARGO) deny --log-level error --locked --manifest-path python/Cargo.toml --config deny.toml check licenses bans sources; \
	else echo "cargo-deny is not installed; get it with: cargo install cargo-deny --locked"; exit 1; fi
	@if $(CARGO) deny --locked fetch db >/dev/null 2>&1; then $(CARGO) deny --locked check --disable-fetch advisories; \
	else echo "advisories are not checked: their database can't be reached"; fi

fuzz: ## feed hostile input to each target in fuzz/, for SECONDS=60 each
	@fuzz="$(CARGO) +nightly fuzz"; \
	if ! $$fuzz --version >/dev/null 2>&1; then fuzz="env RUSTC_BOOTSTRAP=1 $(CARGO) fuzz"; fi; \
	if ! $$fuzz --version >/dev/null 2>&1; then \
	echo "skipped: this needs cargo-fuzz; get it with: cargo install cargo-fuzz --locked"; exit 0; \
	fi; fuzz/seed && for target in document episode schema locator renderers record recovery pack; do \
	$$fuzz run $$target -- -max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=4096 || exit 1; done

crash: ## cut off SESSIONS=10000 random runs that are recorded after every system call, and check what is left
	RUNVET_CRASH_SESSIONS=$(SESSIONS) $(CARGO) test --release --locked --lib recorder::crashes::crash_leaves -- --nocapture

hooks: ## have git check commit messages
	git config core.hooksPath .githooks

rule: ## start a rule: make rule NAME=group/subject
	@tools/rule "$(NAME)"

bless: ## rewrite the files that are derived from the code, and the snapshots; then look at the difference
	@CARGO="$(CARGO)" tools/bless

released: ## keep what this version promises, after its tag, for the next one to be held against
	RELEASED=1 $(CARGO) test --locked --test it contract::released::every_break

docs: ## build the site of docs/, in book/book below the target directory
	tools/book $${CARGO_TARGET_DIR:-target}/book

python: ## build the wheel, and test it in a fresh environment
	CARGO="$(CARGO)" python/check

engines: ## test the wheel of `make python` on Spark and Ray, over an S3 server on this machine
	CARGO="$(CARGO)" python/engines

bench: ## hold speed, size and memory against their goals; takes minutes and 4 GB of disk; BLESS=1 also rewrites docs/performance.md
	$(CARGO) bench --locked --no-run --bench validate --bench stages
	$(CARGO) bench --locked --bench validate

dist: ## build what is released, as far as this machine can, and try it
	CARGO="$(CARGO)" packaging/dist.sh

validate: ## vet run data: make validate DIR=path
	$(CARGO) run --release --locked --quiet -- validate $(DIR)

install: ## install the binary
	$(CARGO) install --locked --path .
