package install_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "journal/journal/agents/claude"
	_ "journal/journal/agents/gemini"
	"journal/journal/agents/install"
)

var (
	ctx    = context.Background()
	update = flag.Bool("update", false, "write the parts of golden files that do not exist yet")
)

// tb is what *testing.T and *rapid.T have in common here.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// home is a separate home directory for each test.
type home struct {
	dir  string
	path string // of the settings
}

func newHome(t *testing.T) home {
	t.Helper()
	dir := t.TempDir()
	// macOS keeps temporary files behind a link; that does not change settings paths, but comparing them would fail.
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return home{dir, filepath.Join(dir, ".claude", "settings.json")}
}

// options returns those of a current client, kept away from this machine.
func (h home) options() install.Options {
	return install.Options{
		Agent: "claude", Home: h.dir,
		Bin:           "/opt/journal/bin/journal",
		ClientVersion: "2.1.329",
		Verbs:         []string{"decide", "show"},
		Getenv:        func(string) string { return "" },
		Keep:          filepath.Join(h.dir, "kept"),
		PolicyPath:    filepath.Join(h.dir, "policy.json"),
	}
}

func (h home) write(t tb, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(h.path, []byte(content), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
}

func (h home) read(t tb) string {
	t.Helper()
	b, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(b)
}

// install plans and applies.
func (h home) install(t tb, o install.Options) install.Plan {
	t.Helper()
	p, err := planInstall(ctx, o)
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	return p
}

// uninstall plans and applies.
func (h home) uninstall(t tb, o install.Options) install.Plan {
	t.Helper()
	p, err := planUninstall(o)
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatalf("uninstall: %v", err)
	}
	return p
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// hook is what the agent reads of an entry.
type hook struct {
	Type    string
	Command string
	Args    []string
	Timeout int
}

// config is what the agent reads of the settings.
type config struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []hook
	}
	StatusLine *struct {
		Type    string
		Command string
		Padding int
	}
}

func parsed(t tb, content string) config {
	t.Helper()
	var c config
	if err := json.Unmarshal([]byte(strings.TrimPrefix(content, "\ufeff")), &c); err != nil {
		t.Fatalf("the settings are not JSON any more: %v\n%s", err, content)
	}
	return c
}

// calls returns the commands of an event that name journal, in order.
func (c config) calls(event string) []hook {
	var found []hook
	for _, g := range c.Hooks[event] {
		for _, h := range g.Hooks {
			if strings.Contains(h.Command, "journal") {
				found = append(found, h)
			}
		}
	}
	return found
}

// hint returns the advice of an error.
func hint(err error) string {
	var e interface{ Hint() string }
	if errors.As(err, &e) {
		return e.Hint()
	}
	return ""
}

// planInstall plans the change of the settings.
func planInstall(ctx context.Context, o install.Options) (install.Plan, error) {
	o.NoSkill = true
	return only(install.Installation(ctx, o))
}

func planUninstall(o install.Options) (install.Plan, error) {
	o.NoSkill = true
	return only(install.Removal(o))
}

func only(plans []install.Plan, err error) (install.Plan, error) {
	if err != nil {
		return install.Plan{}, err
	}
	return plans[0], nil
}

// The program of an entry with a list of arguments is its command, whatever characters the path has.
func TestInstalledWithArguments(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"/my bin/journal", "/it's/journal", "/usr/bin/journal"} {
		h := newHome(t)
		h.write(t, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+program+`","args":["hook","claude"]}]}]}}`)
		if got, err := install.Installed(h.options()); err != nil || len(got) != 1 || got[0] != program {
			t.Errorf("got %q, %v; want %q", got, err, program)
		}
	}
}
