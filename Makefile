# Everything here needs Go and nothing else.

GO      ?= go
# The build's place among builds: the time of the source's newest change (ADR-0004 rule 17).
BUILT   := $(shell git log -1 --format=%ct 2>/dev/null)
# What journal version says: the tag, or how far the commit is from one. Without git, what
# the go command knows.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X journal/journal/wire/frame.built=$(BUILT) $(if $(VERSION),-X main.release=$(VERSION))
# Where make install puts it; DESTDIR goes before it for packages.
PREFIX  ?= $(HOME)/.local
export CGO_ENABLED = 0
# Build, tests and lint compile alike, so what one compiled is in the cache for the others.
export GOFLAGS := $(GOFLAGS) -trimpath
# The tools, in a workspace with the program: alone, their module would compile the program's packages once more.
WORK    := GOWORK='$(CURDIR)/.ci/go.work'
TOOLS   := $(WORK) $(GO) -C cmd/tools

.PHONY: build tools install dist dist-again publish fresh other-systems demo test race torture fuzz mutate bench eval e2e e2e-team e2e-ui lint lint-more fmt

build: ## bin/journal, and bin/journal-hook, which agents call
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

tools: ## bin/tools: what measures, plays and packs the program
	$(TOOLS) build -o ../../bin/tools/ ./bench ./dist ./e2e ./eval ./mutate ./othersystems

install: build ## the programs, man pages and completions below PREFIX (default ~/.local)
	$(GO) run -tags docs -ldflags '$(LDFLAGS)' ./cmd/journal docs bin/share
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/bash-completion/completions' \
		'$(DESTDIR)$(PREFIX)/share/zsh/site-functions' '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'
	install -m 755 bin/journal bin/journal-hook '$(DESTDIR)$(PREFIX)/bin/'
	install -m 644 bin/share/man/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'
	install -m 644 bin/share/completions/journal.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/journal'
	install -m 644 bin/share/completions/_journal '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_journal'
	install -m 644 bin/share/completions/journal.fish '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/journal.fish'
	@echo "next: $(PREFIX)/bin/journal install"

# The project has no public place yet: both are to be given for a release, and publish refuses what was made without.
# SITE is its address, with downloads at SITE/releases/download/VERSION; NPM is the name of the npm package.
SITE ?= https://journal.example
NPM  ?= journal-agent-log
# A key of gpg; without one nothing is signed.
SIGNKEY ?=
dist: tools ## a release in dist/: archives, .deb, .rpm, npm packages, Homebrew, Scoop, checksums; the same bytes from the same commit
	rm -rf dist
	bin/tools/dist -version '$(VERSION)' -site '$(SITE)' -npm '$(NPM)' -out dist $(DISTFLAGS)
	$(if $(SIGNKEY),gpg --batch --yes --local-user '$(SIGNKEY)' --armor --detach-sign dist/SHA256SUMS,@echo 'not signed: SIGNKEY is not set')

dist-again: dist ## and once more: the same bytes
	cp dist/SHA256SUMS bin/SHA256SUMS
	$(MAKE) dist
	cmp bin/SHA256SUMS dist/SHA256SUMS

publish: ## dist/ as the release of the tag that is checked out, where the project is; needs gh
	@! grep -q 'https://journal\.example' dist/journal.rb || { echo 'dist/ names no place to download from: make dist SITE=https://... NPM=...'; exit 1; }
	gh release create '$(VERSION)' --verify-tag --title 'journal $(VERSION)' --notes-file CHANGELOG.md dist/*

# A tree of Debian as mmdebstrap makes it; it is made when it is not there.
TREE ?=
fresh: tools ## what dist/ has, installed into a fresh Debian tree by each of its ways, and newer over older; needs root, mmdebstrap and some minutes
	SOURCE_DATE_EPOCH=$$(($(BUILT) + 1)) bin/tools/dist -version v999.0.0 -site '$(SITE)' -npm '$(NPM)' -only linux/amd64 -out bin/next
	sh cmd/tools/dist/fresh.sh dist bin/next cmd/journal/testdata/streams/claude-2.1.329.jsonl '$(TREE)'

# What hooks, the owner, a kill and a recovery are tested by, without what an emulator is too slow for.
OTHERS ?= -timeout 60m -parallel 2 -run 'TestScripts/^(owner-leaves|owner-replaced|queue|recorded|second-copy|spool-shell|never-spawn|crash-s2.11|repair|verify|still-holds|unusable|doctor|whole-s3.3|told)$$|^Test(KilledOwner|LongPayloads|FaultsOfBothPrograms|BadDiskBattery)$$' ./cmd/journal
# What needs no owner: Wine 8 has no Unix sockets.
WINDOWS ?= -timeout 30m ./events/... ./journal/disk ./journal/spool/... ./journal/agents ./embedded/store/... ./embedded/catalogue ./embedded/team/colleagues
other-systems: tools ## tests on linux/arm64 by qemu-user and on Windows by Wine, with counts of passed and skipped; OTHERS and WINDOWS name others
	bin/tools/othersystems -system linux/arm64 -- $(OTHERS)
	bin/tools/othersystems -system windows/amd64 -- $(WINDOWS)

demo: build ## play a recorded session with two compactions and show what came of it
	sh docs/demo.sh bin/journal cmd/journal/testdata/streams/claude-2.1.329.jsonl

# Tests wait for processes and disks far more than they count.
PARALLEL ?= 8
# They keep their files in memory where there is room; race and torture use the disk.
test: TMPDIR := $(or $(TMPDIR),$(shell sh .ci/memory))
# A test lives for seconds: it may leave its garbage. make lint vets.
test: export GOGC := 400
# Draws of each law.
test: export RAPID_CHECKS := 30
test: ## every test
	$(TOOLS) test -vet=off -timeout 30m ./... & tools=$$!; \
	TMPDIR='$(TMPDIR)' $(GO) test -vet=off -timeout 30m -ldflags="-s -w" -p 4 -parallel $(PARALLEL) ./... && product=0 || product=1; \
	wait $$tools && exit $$product

race: ## every test under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -timeout 60m -race ./...
	CGO_ENABLED=1 $(TOOLS) test -race ./...

ROUNDS ?= 200
torture: ## the batteries of kills, damage, races, power cuts and 1,000 failing disks at full length, and 1,000 draws of each law
	JOURNAL_TORTURE=$(ROUNDS) $(GO) test -count=1 -timeout 180m -v -run 'Battery|Troubled|AtOnce|FullDisk|Intruders' ./cmd/journal/... ./embedded/... ./journal/...
	RAPID_CHECKS=1000 $(GO) test -count=1 -timeout 180m $$(grep -rl --include=*_test.go pgregory.net/rapid . | xargs -n1 dirname | sort -u)

FUZZTIME ?= 20s
fuzz: ## every fuzz target, one after the other
	@for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
		done; \
	done

SEED ?= 1
N    ?= 14
mutate: tools ## changes N places of each package, one at a time, and says which no test notices; MUTATEFLAGS='-packages ./replay/... -scripts= -json'
	nice bin/tools/mutate -seed $(SEED) -n $(N) $(MUTATEFLAGS)

bench: build tools ## the speed table, with its baselines in the same run
	bin/tools/bench -journal bin/journal

eval: tools ## how right the audit's answers are on labels of real compactions, with JOURNAL_FIXTURES
	bin/tools/eval $(EVALFLAGS)

e2e: build tools ## a day of work through the real clients, apart from the network; skipped where that cannot be
	bin/tools/e2e -bin bin

KILLS  ?= 20
EVENTS ?= 200000
e2e-team: ## nats-server processes and laptops: each is killed KILLS times while a log of EVENTS catches up, and looks are measured; an hour
	JOURNAL_KILLS=$(KILLS) JOURNAL_EVENTS=$(EVENTS) JOURNAL_MEMBERS=31 $(GO) test -count=1 -timeout 180m -v -run '^Test(TeamBattery|MeasureTeam)$$' ./cmd/journal

e2e-ui: build ## the pages of journal ui in a real browser; JOURNAL_UI_SHOTS=DIR keeps pictures; skipped where there is none
	JOURNAL_E2E_BIN='$(CURDIR)/bin' $(TOOLS) test -count=1 -v ./browser

SYSTEMS ?= $(shell $(GO) env GOOS)
# A linter lives for seconds: it may leave its garbage, where there is room.
lint: export GOGC := 400
lint: export GOMEMLIMIT := 2GiB
lint: ## vet for SYSTEMS, staticcheck, words that readers stumble over (.ci/words), shape of error handling (.ci/errstyle), formatting
	$(TOOLS) build -o ../../bin/tools/ ./crossvet ./words ./errstyle
	$(GO) build -modfile=.ci/lint.mod -o bin/tools/ honnef.co/go/tools/cmd/staticcheck
	$(WORK) bin/tools/crossvet -systems '$(SYSTEMS)' ./... ./cmd/tools/...
	$(WORK) bin/tools/staticcheck ./... ./cmd/tools/...
	bin/tools/words -list .ci/words .
	bin/tools/errstyle -except .ci/errstyle -root .
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'not formatted: run make fmt'; exit 1; }

# golangci-lint needs more modules than the program and its tools together, so no go.mod of ours names it.
GOLANGCI ?= $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
lint-more: ## what .golangci.yml names, over the program
	$(GOLANGCI) run ./...

fmt: ## format the sources
	gofmt -w .
