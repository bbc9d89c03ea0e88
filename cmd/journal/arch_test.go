package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of ours each package may import, directly. A
// package that is not here fails the test: a new arrow is a decision, taken in
// ARCHITECTURE.md first.
var arrows = map[string][]string{
	"journal/events":                 {},
	"journal/events/text":            {},
	"journal/projections":            {"journal/events"},
	"journal/replay":                 {"journal/events", "journal/events/text", "journal/projections"},
	"journal/replay/live":            {"journal/projections", "journal/replay"},
	"journal/replay/snapshot":        {"journal/events", "journal/projections"},
	"journal/replay/timeline":        {"journal/events", "journal/projections", "journal/replay"},
	"journal/replay/audit":           {"journal/events", "journal/events/text", "journal/projections", "journal/replay"},
	"journal/journal":                {"journal/events", "journal/journal/sock", "journal/journal/token"},
	"journal/journal/client":         {"journal/events", "journal/journal/redact", "journal/journal/sock", "journal/journal/spool", "journal/journal/token", "journal/journal/wire"},
	"journal/journal/hookrun":        {"journal/events", "journal/journal/client", "journal/journal/disk", "journal/journal/hooks", "journal/journal/logfile", "journal/journal/observe", "journal/journal/redact", "journal/journal/token", "journal/journal/wire"},
	"journal/journal/logfile":        {"journal/journal/sock"},
	"journal/journal/token":          {"journal/events"},
	"journal/journal/hooks":          {"journal/journal/disk", "journal/events", "journal/journal/payload", "journal/journal/redact", "journal/journal/wire"},
	"journal/journal/observe":        {"journal/events", "journal/journal/redact", "journal/journal/wire"},
	"journal/journal/outline":        {"journal/events", "journal/events/text", "journal/journal/wire"},
	"journal/journal/payload":        {"journal/events/text"},
	"journal/journal/redact":         {},
	"journal/journal/spool":          {"journal/journal/disk"},
	"journal/journal/wire":           {"journal/events"},
	"journal/journal/archive":        {"journal/journal/disk"},
	"journal/journal/transcript":     {"journal/events", "journal/events/text", "journal/journal/hooks", "journal/journal/payload", "journal/journal/redact"},
	"journal/embedded":               {"journal/embedded/blocks", "journal/embedded/ownership", "journal/journal/disk", "journal/journal/sock"},
	"journal/embedded/ownership":     {"journal/journal/disk"},
	"journal/journal/disk":           {},
	"journal/embedded/blocks":        {"journal/journal/disk"},
	"journal/journal/sock":           {},
	"journal/cmd/journal/config":     {"journal/projections"},
	"journal/cmd/journal/install":    {"journal/journal/disk"},
	"journal/embedded/owner":         {"journal/cmd/journal/snapshots", "journal/embedded", "journal/embedded/blocks", "journal/embedded/ownership", "journal/journal/client", "journal/journal/disk", "journal/events", "journal/events/text", "journal/journal", "journal/journal/archive", "journal/journal/hooks", "journal/journal/outline", "journal/journal/redact", "journal/journal/spool", "journal/journal/wire", "journal/projections", "journal/replay", "journal/replay/live"},
	"journal/cmd/journal/page":       {"journal/events/text", "journal/replay/timeline"},
	"journal/embedded/rebuild":       {"journal/embedded", "journal/embedded/blocks", "journal/embedded/ownership", "journal/journal/client", "journal/journal/disk", "journal/events", "journal/journal", "journal/journal/archive", "journal/journal/spool"},
	"journal/cmd/journal/snapshots":  {"journal/journal/disk", "journal/events", "journal/journal", "journal/projections", "journal/replay/snapshot"},
	"journal/cmd/journal":            nil, // joins everything
	"journal/cmd/journal-hook":       {"journal/embedded/ownership", "journal/journal/client", "journal/journal/hookrun"},
	"journal/cmd/journal/bench":      nil,
	"journal/cmd/journal/bench/noop": nil,
}

// TestArrows: everything points at events, replay and journal do not know each
// other, and only embedded knows the server (DESIGN section 3).
func TestArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "journal/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		allowed, declared := arrows[p.ImportPath]
		if !declared {
			t.Errorf("%s has no place in the picture: add it to ARCHITECTURE.md and here", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "github.com/nats-io/nats-server") && p.ImportPath != "journal/embedded" && !strings.HasPrefix(p.ImportPath, "journal/cmd/journal/bench") {
				t.Errorf("%s imports the server; only journal/embedded may", p.ImportPath)
			}
			if allowed != nil && strings.HasPrefix(i, "journal/") && !slices.Contains(allowed, i) {
				t.Errorf("%s must not import %s", p.ImportPath, i)
			}
		}
	}
}
