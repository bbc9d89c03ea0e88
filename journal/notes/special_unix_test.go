//go:build unix

package notes_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSpecialFiles: nothing that is no regular file is waited for.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	t.Run("pipe", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write(".claude/context/task_plan.md", "## Plan\n")
		if err := syscall.Mkfifo(filepath.Join(w.root, progress), 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantPaths(w.all(), "plan .claude/context/task_plan.md", "flow "+progress+": not a regular file")
	})
	t.Run("pipe for a directory", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write(".claude/settings.json", "{}")
		if err := syscall.Mkfifo(filepath.Join(w.root, ".claude/context"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantPaths(w.all())
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write(progress+"/one.md", "")
		w.wantPaths(w.all(), "flow "+progress+": not a regular file")
	})
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		if os.Getuid() == 0 {
			t.Skip("root reads everything")
		}
		w := newWorld(t)
		w.write(progress, "## One\n")
		if err := os.Chmod(filepath.Join(w.root, progress), 0); err != nil {
			t.Fatal(err)
		}
		w.wantPaths(w.all(), "flow "+progress+": unreadable")
	})
}

// TestLinks: a link is followed within the project, or within the home for what
// lies there, and nowhere else: a cloned project must not get a private key into
// the log.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := func(w *world, to, name string) {
		w.Helper()
		path := filepath.Join(w.root, name)
		if filepath.IsAbs(name) {
			path = name
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			w.Fatal(err)
		}
	}
	t.Run("within the project", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write("notes/today.md", "## One\ntext\n")
		link(w, "../../notes/today.md", progress)
		found := w.all()
		w.wantPaths(found, "flow "+progress)
		if len(found[0].Entries) != 1 {
			t.Errorf("observed %+v", found[0])
		}
	})
	t.Run("of the directory, within the project", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write("notes/progress.md", "## One\n")
		link(w, "../notes", ".claude/context")
		w.wantPaths(w.all(), "flow "+progress)
	})
	t.Run("out of the project", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{progress, ".claude/context", ".claude"} {
			w := newWorld(t)
			secret := filepath.Join(w.home, "secret")
			w.write(filepath.Join(secret, "context/progress.md"), "## key\nvalue\n")
			w.write(filepath.Join(secret, "progress.md"), "## key\nvalue\n")
			to := map[string]string{progress: filepath.Join(secret, "progress.md"), ".claude/context": secret, ".claude": secret}[name]
			link(w, to, name)
			found := w.all()
			w.wantPaths(found, "flow "+progress+": a link that leads elsewhere")
			if found[0].Digest != "" || found[0].Entries != nil {
				t.Errorf("observed %+v", found[0])
			}
			w.wantPaths(w.all())
		}
	})
	t.Run("within the home", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write(filepath.Join(w.home, "dotfiles/learnings.md"), "## One\n")
		link(w, "../../dotfiles/learnings.md", filepath.Join(w.home, ".claude/learnings/global-learnings.md"))
		w.wantPaths(w.all(), "stock "+filepath.ToSlash(filepath.Join(w.home, ".claude/learnings/global-learnings.md")))
	})
	t.Run("to nothing", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		link(w, "nowhere.md", progress)
		w.wantPaths(w.all())
		w.write(".claude/context/nowhere.md", "## One\n")
		w.wantPaths(w.all(), "flow "+progress)
		w.remove(".claude/context/nowhere.md")
		w.wantPaths(w.all(), "flow "+progress+" gone")
	})
}
