package install_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"journal/journal/agents/install"
)

func TestApplyKeepsTheMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permission bits")
	}
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	h := newHome(t)
	h.install(t, h.options())
	if mode(h.path) != 0o600 || mode(filepath.Dir(h.path)) != 0o700 {
		t.Errorf("new: file %v, directory %v", mode(h.path), mode(filepath.Dir(h.path)))
	}

	h = newHome(t)
	h.write(t, "{}")
	if err := os.Chmod(h.path, 0o664); err != nil {
		t.Fatal(err)
	}
	h.install(t, h.options())
	if mode(h.path) != 0o664 {
		t.Errorf("existing: %v", mode(h.path))
	}
}

func TestApplyRefusesAChangedFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		before, after string // "" for no file
	}{
		{"edited", `{}`, `{"model":"opus"}`},
		{"removed", `{}`, ``},
		{"created", ``, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if test.before != "" {
				h.write(t, test.before)
			}
			p, err := planInstall(ctx, h.options())
			if err != nil {
				t.Fatal(err)
			}
			if test.after != "" {
				h.write(t, test.after)
			} else if err := os.Remove(h.path); err != nil {
				t.Fatal(err)
			}
			if err := p.Apply(); !errors.Is(err, install.ErrChanged) || hint(err) == "" {
				t.Fatalf("error %v, hint %q", err, hint(err))
			}
			if test.after != "" && h.read(t) != test.after {
				t.Errorf("written: %s", h.read(t))
			}
			entries, err := os.ReadDir(filepath.Dir(h.path))
			if want := min(len(test.after), 1); err != nil || len(entries) != want {
				t.Errorf("directory has %v, error %v", entries, err)
			}
		})
	}
}

func TestApplyTwice(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.install(t, h.options())
	if err := p.Apply(); !errors.Is(err, install.ErrChanged) {
		t.Errorf("installing: %v", err)
	}
	p = h.uninstall(t, h.options())
	if err := p.Apply(); !errors.Is(err, install.ErrChanged) {
		t.Errorf("uninstalling: %v", err)
	}
}

// TestInterrupted: after a change that could not be made, the settings are still as an installation left them, and
// uninstalling restores every byte.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(home) (install.Plan, error){
		"uninstall": func(h home) (install.Plan, error) { return planUninstall(h.options()) },
		"update": func(h home) (install.Plan, error) {
			o := h.options()
			o.All = true
			return planInstall(ctx, o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			const before = `{ "hooks" : { "Stop" : [] } }`
			h.write(t, before)
			h.install(t, h.options())
			installed := h.read(t)
			p, err := plan(h)
			if err != nil {
				t.Fatal(err)
			}
			h.write(t, "{}")
			if err := p.Apply(); !errors.Is(err, install.ErrChanged) {
				t.Fatalf("error %v", err)
			}
			h.write(t, installed)
			h.uninstall(t, h.options())
			if after := h.read(t); after != before {
				t.Errorf("before %s\nafter  %s", before, after)
			}
		})
	}
}

// TestRulesOfThePerson: a rule that the person had before is restored, also after an update of settings that were
// edited meanwhile.
func TestRulesOfThePerson(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.options()
	o.Allow = true
	p, err := planInstall(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf(`{"permissions":{"allow":[%q]}}`, p.Rules[0])
	h.write(t, before)
	h.install(t, o)
	h.write(t, strings.Replace(h.read(t), "{", `{"model":"opus",`, 1))
	o.All = true
	h.install(t, o)
	h.uninstall(t, o)
	if got := h.read(t); !strings.Contains(got, p.Rules[0]) {
		t.Errorf("before %s\nafter  %s", before, got)
	}
}

func TestApplyLeavesNothingBeside(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(t, "{}")
	h.install(t, h.options())
	h.uninstall(t, h.options())
	entries, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil || len(entries) != 1 {
		t.Errorf("directory has %v, error %v", entries, err)
	}
}

func TestApplyToAReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permission bits do not bind this user")
	}
	h := newHome(t)
	h.write(t, "{}")
	dir := filepath.Dir(h.path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	p, err := planInstall(ctx, h.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err == nil || hint(err) == "" || !strings.Contains(err.Error(), h.path+":") {
		t.Errorf("error %v, hint %q", err, hint(err))
	}
	if h.read(t) != "{}" {
		t.Errorf("file: %s", h.read(t))
	}
}

// TestApplyFailsCleanly: a failure that affects every user, even root: a file is where the directory should be created.
func TestApplyFailsCleanly(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p, err := planInstall(ctx, h.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(h.path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err == nil || hint(err) == "" {
		t.Errorf("error %v, hint %q", err, hint(err))
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil || len(entries) != 2 { // with the folder of originals
		t.Errorf("home has %v, error %v", entries, err)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		link   func(h home) string // the target of the link
		exists bool
	}{
		{"absolute", func(h home) string { return filepath.Join(h.dir, "dotfiles", "claude.json") }, true},
		{"relative", func(h home) string { return filepath.Join("..", "dotfiles", "claude.json") }, true},
		{"to nothing yet", func(h home) string { return filepath.Join("..", "dotfiles", "claude.json") }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			kept := filepath.Join(h.dir, "dotfiles", "claude.json")
			for _, dir := range []string{filepath.Dir(kept), filepath.Dir(h.path)} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if test.exists {
				if err := os.WriteFile(kept, []byte("{ }\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(test.link(h), h.path); err != nil {
				t.Skip(err)
			}
			p := h.install(t, h.options())
			if notes := strings.Join(p.Notes, "\n"); !strings.Contains(notes, kept) {
				t.Errorf("notes %q do not name %s", notes, kept)
			}
			if info, err := os.Lstat(h.path); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Fatalf("the link is gone: %v", err)
			}
			if len(parsed(t, h.read(t)).Hooks) != len(full) {
				t.Error("not installed")
			}
			h.uninstall(t, h.options())
			if exists(kept) != test.exists || !exists(h.path) {
				t.Errorf("file is there: %v, link is there: %v", exists(kept), exists(h.path))
			}
			if test.exists && h.read(t) != "{ }\n" {
				t.Errorf("not restored: %q", h.read(t))
			}
		})
	}
}

func TestDirectoryLinkToNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if err := os.Symlink("nowhere", filepath.Dir(h.path)); err != nil {
		t.Skip(err)
	}
	if _, err := planInstall(ctx, h.options()); err == nil || !strings.Contains(err.Error(), "is a link to nothing") || hint(err) == "" {
		t.Errorf("error %v, hint %q", err, hint(err))
	}
}

func TestLinkToItself(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if err := os.Mkdir(filepath.Dir(h.path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("settings.json", h.path); err != nil {
		t.Skip(err)
	}
	if _, err := planInstall(ctx, h.options()); err == nil || hint(err) == "" {
		t.Errorf("error %v, hint %q", err, hint(err))
	}
}
