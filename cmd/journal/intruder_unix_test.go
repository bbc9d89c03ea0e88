//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/embedded/store/ownership"
)

// intruders are what may lie in the place of a file of ours, by their names. Each is made
// at a path, for which the test has room beside.
var intruders = map[string]func(path, beside string) error{
	"pipe": func(path, _ string) error { return unix.Mkfifo(path, 0o600) },
	"directory": func(path, _ string) error {
		return errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "somebody's"), nil, 0o600))
	},
	"link": func(path, beside string) error {
		return errors.Join(os.WriteFile(beside, []byte("somebody's"), 0o600), os.Symlink(beside, path))
	},
	"dangling link": func(path, beside string) error { return os.Symlink(beside, path) },
	"device": func(path, _ string) error {
		if unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) == nil {
			return nil
		}
		return os.Symlink("/dev/zero", path) // not everybody may make devices
	},
	"3 GB of zeros": func(path, _ string) error {
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 3<<30))
	},
}

// TestIntruders puts something else in the place of every file and directory of a journal:
// those that a used one has, and those that docs/FORMAT.md knows. Whatever it is, no
// program waits for it, panics, or disturbs the agent, and the event of a hook is kept or
// its loss is said. With JOURNAL_TORTURE everything is put everywhere, one at a time; else a seed draws one for
// each place, a pipe half of the time, and places where nothing is yet get theirs a few at a time.
func TestIntruders(t *testing.T) {
	t.Parallel()
	used := usedJournal(t)
	var groups [][]string
	var empty []string
	for _, path := range placesOf(t, used) {
		if _, err := os.Lstat(filepath.Join(used, path)); err == nil || tortured(t, 0) > 0 {
			groups = append(groups, []string{path})
		} else {
			empty = append(empty, path)
		}
	}
	groups = slices.AppendSeq(groups, slices.Chunk(empty, 5))
	kinds, chance := slices.Sorted(maps.Keys(intruders)), rand.New(rand.NewPCG(seedOf(t), 0))
	for _, paths := range groups {
		drawn := "pipe" // hangs where others fail
		if chance.IntN(2) == 0 {
			drawn = kinds[chance.IntN(len(kinds))]
		}
		for _, kind := range kinds {
			if kind != drawn && tortured(t, 0) == 0 {
				continue
			}
			t.Run(kind+"/"+strings.Join(paths, ","), func(t *testing.T) {
				t.Parallel()
				intrude(t, used, kind, paths)
			})
		}
	}
}

// usedJournal makes a journal directory with whatever use leaves in one, and gives it when
// nobody owns it any more.
func usedJournal(t *testing.T) string {
	t.Helper()
	w := newWorld(t)
	project := t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "progress.md"), []byte("# Progress\n\n- one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.hook(`{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"` + project + `"}`)
	w.hook(prompt("s1", "before"))
	w.owner()
	w.hook(`{"session_id":"s1","hook_event_name":"Stop","cwd":"` + project + `"}`)
	w.run(`{"session_id":"s1","context_window":{"context_window_size":200000,"used_percentage":40},"cwd":"/"}`, "statusline")
	if out, errOut, code := w.run("", "pause", "--project", t.TempDir()); code != 0 {
		t.Fatalf("pause ends with %d: %s%s", code, out, errOut)
	}
	w.run("", "stop")
	w.env = append(w.env, "JOURNAL_OWNER=never-spawn")
	w.hook(prompt("s1", "waits"))
	for _, name := range []string{"journal.log.1", "program", "command"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w.dir
}

// placesOf gives the paths below a used journal, and those that are documented.
func placesOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); relErr == nil && rel != "." {
			all = append(all, rel)
		}
		return err
	})
	page, readErr := os.ReadFile("../../docs/FORMAT.md")
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "\n## Files of a journal directory\n")
	if !ok {
		t.Fatal("no table of the files")
	}
	documented := map[string]bool{}
	for row := range strings.Lines(table) {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, m := range regexp.MustCompile("`([a-z0-9./]+)`").FindAllStringSubmatch(names, -1) {
			documented[strings.TrimSuffix(m[1], "/")] = true
		}
	}
	if len(documented) < 20 {
		t.Fatalf("documented are %v", documented)
	}
	for _, path := range all {
		if top, _, _ := strings.Cut(path, "/"); !documented[top] {
			t.Errorf("docs/FORMAT.md does not say what %s is", top)
		}
	}
	for name := range documented {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
		if !strings.Contains(name, ".") {
			all = append(all, name+".new") // written beside it, and renamed
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// intruded is a place of a journal where something else was put.
type intruded struct {
	place, original, beside string
	intruder                fs.FileInfo
}

// intruded puts something in a place; what was there, and what the intruder needs, gets a name with number in it.
func (w *world) intruded(path, kind, number string) *intruded {
	w.Helper()
	home := filepath.Dir(w.dir)
	p := &intruded{place: filepath.Join(w.dir, path), original: filepath.Join(home, "original"+number), beside: filepath.Join(home, "beside"+number)}
	if err := os.Rename(p.place, p.original); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	err := intruders[kind](p.place, p.beside)
	if err == nil {
		p.intruder, err = os.Lstat(p.place)
	}
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// clear does what a person does who finds the intruder.
func (p *intruded) clear(t *testing.T) {
	t.Helper()
	if now, err := os.Lstat(p.place); err == nil && os.SameFile(now, p.intruder) {
		err = os.RemoveAll(p.place)
		if back := os.Rename(p.original, p.place); err != nil || back != nil && !errors.Is(back, fs.ErrNotExist) {
			t.Fatal(err, back)
		}
	}
}

// unhung is far more than any command of this test takes on a busy machine.
const unhung = time.Minute

func intrude(t *testing.T, used, kind string, paths []string) {
	w := newHome(t)
	if err := os.CopyFS(w.dir, os.DirFS(used)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, args ...string) (stdout, stderr string, code int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), unhung) // also when the test ends
		defer cancel()
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Env, c.WaitDelay = w.env, time.Second
		stdout, stderr, code = w.exec(c, stdin)
		if ctx.Err() != nil {
			t.Errorf("%q hangs", args[1:])
		}
		if code < 0 || strings.Contains(stderr, "panic:") || strings.Contains(stderr, "goroutine ") {
			t.Errorf("%q ends with %d: %s", args[1:], code, stderr)
		}
		return stdout, stderr, code
	}
	var places []*intruded
	for i, path := range paths {
		places = append(places, w.intruded(path, kind, strconv.Itoa(i)))
	}
	t.Cleanup(func() {
		if ownership.Held(w.dir) || isStarting(w.dir) {
			run("", w.bin, "stop")
		}
	})
	w.env = append(w.env, ownPace+"=5")
	for i, hook := range [][]string{append(w.calls, claude...), {w.bin, "hook", "claude"}} {
		out, errOut, code := run(prompt("s1", "kept "+string(rune('0'+i))), hook...)
		if code != 0 || out != "" || errOut != "" {
			t.Errorf("%q ends with %d, %q, %q", hook, code, out, errOut)
		}
	}
	for _, verb := range []string{"status", "doctor", "verify"} {
		run("", w.bin, verb)
	}
	run("", w.bin, "replay", "--session", "s1", "--json")
	run("", w.bin, "stop")
	for _, p := range places {
		if b, err := os.ReadFile(p.beside); kind == "link" && (err != nil || !bytes.HasPrefix(b, []byte("somebody's"))) {
			t.Errorf("the file that the link names holds %q, %v", b, err)
		}
	}
	said := ""
	if !slices.Contains(paths, "journal.log") {
		said = w.logFile()
	}
	if strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") || strings.Contains(said, "out of time") {
		t.Errorf("log file:\n%s", said)
	}
	for _, p := range places {
		p.clear(t)
	}
	_ = os.Remove(filepath.Join(w.dir, "owner.failed")) // 30 s later
	out, errOut, code := run("", w.bin, "log", "--json", "--type", "prompt.submitted")
	if code != 0 {
		t.Fatalf("log ends with %d: %s\n%s", code, errOut, w.logFile())
	}
	for _, text := range []string{"kept 0", "kept 1"} {
		if !strings.Contains(out, `"`+text+`"`) && !strings.Contains(said, `"undelivered"`) {
			t.Errorf("%q is lost, and nobody says so:\n%s\n%s", text, out, said)
		}
	}
}
