package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A log that is part of a container's image is on an overlay file system, which renames none of its directories. It can be
// rebuilt all the same.
func TestRebuildOnAnOverlay(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	w := newWorld(t)
	w.hook(prompt("s", "keep this"))
	w.hook(prompt("s", "drop that"))
	w.run("", "log")
	w.run("", "stop")
	layers := t.TempDir()
	image, upper, work := filepath.Join(layers, "image"), filepath.Join(layers, "upper"), filepath.Join(layers, "work")
	if err := os.Rename(w.dir, image); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{upper, work, w.dir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mount("overlay", w.dir, "overlay", 0, "userxattr,lowerdir="+image+",upperdir="+upper+",workdir="+work); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() {
		w.run("", "stop")
		if err := unix.Unmount(w.dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if _, errOut, code := w.run("", "forget", "--match", "drop that", "--yes"); code != 0 {
		t.Fatal(errOut)
	}
	w.hook(prompt("s", "go on"))
	out, errOut, code := w.run("", "log", "--type", "prompt.submitted")
	if code != 0 || !strings.Contains(out, "keep this") || strings.Contains(out, "drop that") || !strings.Contains(out, "go on") {
		t.Errorf("exit code %d: %s%s", code, out, errOut)
	}
	if out, _, code := w.run("", "verify"); code != 0 {
		t.Error(out)
	}
}
