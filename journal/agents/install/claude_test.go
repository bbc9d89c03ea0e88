package install_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/journal/agents/install"
)

var (
	nine = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Notification", "Stop", "SubagentStop", "SessionEnd"}
	ten  = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact", "Notification", "Stop", "SubagentStop", "SessionEnd"}
	full = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "PostCompact", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "TaskCompleted", "SessionEnd"}
)

func TestEventsByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		client  string
		version string
		events  []string
		all     int    // how many with All
		note    string // a part of it; "" for none
	}{
		{"1.0.128", "1.0.128", nine, 9, "claude update"},
		{"2.0.14 (Claude Code)", "2.0.14", nine, 9, "claude update"},
		{"2.1.0", "2.1.0", nine, 9, "claude update"},
		{"2.1.75", "2.1.75", nine, 10, "claude update"},
		{"2.1.76", "2.1.76", ten, 11, "claude update"},
		{"2.1.100 (Claude Code)\n", "2.1.100", ten, 11, "claude update"},
		{"2.1.101-beta.3", "2.1.100", ten, 11, "claude update"},
		{"2.1.101", "2.1.101", full, 26, ""},
		{"v2.1.219", "2.1.219", full, 27, ""},
		{"2.1.329 (Claude Code)", "2.1.329", full, 29, ""},
		{"3.0.0", "3.0.0", full, 29, ""},
		{"3.0.0-beta.1 (Claude Code)", "3.0.0-pre", full, 29, ""},
		{"3.0.0-pre", "3.0.0-pre", full, 29, ""}, // a plan's version is that of the next plan
		{"garbage", "", nine, 9, "could not be found out"},
		{"2.1", "", nine, 9, "could not be found out"},
		{"99999999999999999999.1.1", "", nine, 9, "could not be found out"},
	} {
		t.Run(test.client, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			o := h.options()
			o.ClientVersion = test.client
			p := h.install(t, o)
			if p.Version != test.version || !slices.Equal(p.Events, test.events) {
				t.Errorf("version %q, events %v", p.Version, p.Events)
			}
			c := parsed(t, h.read(t))
			if len(c.Hooks) != len(test.events) {
				t.Errorf("%d events in the file, want %d", len(c.Hooks), len(test.events))
			}
			for _, event := range test.events {
				line := "f=/opt/journal/bin/journal;[ -x $f ]&&exec $f hook claude;:"
				if strings.HasSuffix(event, "Compact") {
					line = "/opt/journal/bin/journal hook claude||:"
				}
				if calls := c.calls(event); len(calls) != 1 || calls[0].Command != line || calls[0].Timeout != 10 || calls[0].Type != "command" {
					t.Errorf("%s: %+v", event, calls)
				}
			}
			if notes := strings.Join(p.Notes, "\n"); test.note == "" && notes != "" || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q", notes)
			}

			o.All = true
			p = h.install(t, o)
			if len(p.Events) != test.all || len(parsed(t, h.read(t)).Hooks) != test.all {
				t.Errorf("with All %d events: %v", len(p.Events), p.Events)
			}
			for _, never := range []string{"MessageDisplay", "FileChanged", "WorktreeCreate", "WorktreeRemove"} {
				if slices.Contains(p.Events, never) {
					t.Errorf("%s is installed", never)
				}
			}
		})
	}
}

func TestEventsFollowTheVersion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.options()
	o.All = true
	h.install(t, o)
	o.All, o.ClientVersion = false, "2.1.0"
	h.install(t, o)
	c := parsed(t, h.read(t))
	if len(c.Hooks) != len(nine) {
		t.Errorf("after a downgrade the file has %d events", len(c.Hooks))
	}
	for _, event := range nine {
		if len(c.calls(event)) != 1 {
			t.Errorf("%s: %v", event, c.Hooks[event])
		}
	}
}

// fakeClaude puts a program named claude, and nothing else, on the PATH.
func fakeClaude(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestVersionIsDetected(t *testing.T) {
	for _, test := range []struct{ name, script, version string }{
		{"answer", `test "$*" = --version && echo "2.1.329 (Claude Code)"`, "2.1.329"},
		{"failure", `echo 2.1.329; exit 1`, ""},
		{"other text", `echo welcome`, ""},
		{"not found", ``, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			fakeClaude(t, test.script)
			o := newHome(t).options()
			o.ClientVersion = ""
			p, err := planInstall(ctx, o)
			if err != nil || p.Version != test.version {
				t.Fatalf("version %q, error %v", p.Version, err)
			}
			if want := len(nine); test.version == "" && len(p.Events) != want {
				t.Errorf("%d events, want %d", len(p.Events), want)
			}
		})
	}
}

func TestDetectionEndsWithItsContext(t *testing.T) {
	fakeClaude(t, "exec /bin/sleep 600")
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	o := newHome(t).options()
	o.ClientVersion = ""
	if _, err := planInstall(short, o); err == nil {
		t.Fatal("no error although the context is over")
	}
}

func TestSettingsPath(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	moved := func(key string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(h.dir, "elsewhere")}[key]
	}
	for _, test := range []struct {
		name string
		edit func(*install.Options)
		path string
	}{
		{"user", func(o *install.Options) {}, filepath.Join(h.dir, ".claude", "settings.json")},
		{"user moved", func(o *install.Options) { o.Getenv = moved }, filepath.Join(h.dir, "elsewhere", "settings.json")},
		{"project", func(o *install.Options) { o.Scope, o.Dir, o.Getenv = install.Project, h.dir, moved }, filepath.Join(h.dir, ".claude", "settings.json")},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := h.options()
			test.edit(&o)
			p, err := planInstall(ctx, o)
			if err != nil || p.Path != test.path {
				t.Fatalf("path %s, error %v", p.Path, err)
			}
		})
	}
}
