# The two commands: `make up` runs Tidemill, `make test` checks everything. Both set up what they need first.
# Options of `tidemill up` go in ARGS:  make up ARGS="--port 9000"

PYTHON ?=
ARGS ?=
SETUP = PYTHON="$(PYTHON)" sh scripts/setup.sh
RUN = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup up test check api web bench pin wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## set up everything for running and for tests
	@$(SETUP) test

up: ## set up what is needed and start Tidemill on http://127.0.0.1:8700
	@$(SETUP) up
	@exec .venv/bin/tidemill up $(ARGS)

test: ## set up what is needed; run all checks and all tests
	@$(SETUP) test
	@$(RUN) scripts/checks.py test

check: ## formatting, lint, types, rooms, API client, web types and lint
	@$(SETUP) test
	@$(RUN) scripts/checks.py check

api: ## write the API description and the web's client from the code
	@$(SETUP) test
	@$(RUN) scripts/api.py

web: ## build the web pages into the Python package
	@$(SETUP) up

bench: ## run the benchmarks
	@$(SETUP) test
	@$(RUN) scripts/bench.py $(ARGS)

pin: ## after a dependency changed: write down the versions of .venv, complete the npm lock
	@$(RUN) scripts/pin.py
	@$(RUN) scripts/complete_lock.py

wheel: ## build the Python package, web pages included, into dist/
	@$(SETUP) test
	@$(RUN) -m hatchling build --target wheel --directory dist

clean: ## remove what was set up and built; your data is not touched
	rm -rf .venv .setup dist web/node_modules src/tidemill/web_dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
