//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/doctor"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/copies"
	"journal/journal/spool/losses"
)

// unended are the checks of doctor whose troubles no command of ours ends: they are of another program, another machine,
// or a file that a person wrote.
var unended = map[string]string{
	"disk":          "space is made by a person",
	"configuration": "a person wrote the file",
	"agent":         "journal install; doctor.txtar runs it",
	"hooks":         "they come with the agent's next session",
	"transcripts":   "journal import; thirty-days.txtar runs it",
	"recovery":      "the agent's other hooks and settings decide",
	"troubles":      "a day ends them",
	"forgotten":     "a damaged file is removed by a person; forgotten.txtar damages it",
	"redaction":     "journal forget --secrets asks a person; rules.txtar runs it",
}

// deadEnds are states of a journal that doctor names, each made by real damage to one that was used and closed.
var deadEnds = map[string]struct {
	check  string
	says   string // in the finding
	start  bool   // an owner cannot start: verify says the same, and hooks go on
	unroot bool   // nothing is closed to root
	damage func(d victim) error
}{
	"lock is a directory": {check: "start", says: "owner.lock", start: true, damage: func(d victim) error {
		return errors.Join(os.RemoveAll(d.path("owner.lock")), os.Mkdir(d.path("owner.lock"), 0o700))
	}},
	"lock is a link": {check: "start", says: "owner.lock", start: true, damage: func(d victim) error {
		return errors.Join(os.Rename(d.path("owner.lock"), d.path("elsewhere")), os.Symlink("elsewhere", d.path("owner.lock")))
	}},
	"format is garbage": {check: "start", says: "does not hold a format number", start: true, damage: func(d victim) error {
		return os.WriteFile(d.path("format"), []byte("zwei\n"), 0o600)
	}},
	"format is a directory": {check: "start", says: "format", start: true, damage: func(d victim) error {
		return errors.Join(os.Remove(d.path("format")), os.Mkdir(d.path("format"), 0o700))
	}},
	"block is a link": {check: "start", says: "1.blk", start: true, damage: func(d victim) error {
		block := d.block()
		return errors.Join(os.Rename(block, d.path("1.blk")), os.Symlink(d.path("1.blk"), block))
	}},
	"pipe in the store": {check: "start", says: "pipe", start: true, damage: func(d victim) error {
		return unix.Mkfifo(filepath.Join(filepath.Dir(d.block()), "pipe"), 0o600)
	}},
	"store is a file": {check: "start", says: "store", start: true, damage: func(d victim) error {
		return errors.Join(os.RemoveAll(d.path("store")), os.WriteFile(d.path("store"), nil, 0o600))
	}},
	"plan is garbage": {check: "start", says: "rebuild", start: true, damage: func(d victim) error {
		return os.WriteFile(d.path("rebuild"), []byte("{"), 0o600)
	}},
	"store is closed": {check: "start", says: "permission denied", start: true, unroot: true, damage: func(d victim) error { return os.Chmod(d.block(), 0) }},
	"store's directory is closed": {check: "start", says: "permission denied", start: true, unroot: true, damage: func(d victim) error {
		return os.Chmod(d.path("store"), 0)
	}},
	"archive is closed": {check: "start", says: "permission denied", unroot: true, damage: func(d victim) error { return os.Chmod(d.path("archive"), 0) }},
	"archive is a file": {check: "start", says: "archive", damage: func(d victim) error {
		return errors.Join(os.RemoveAll(d.path("archive")), os.WriteFile(d.path("archive"), nil, 0o600))
	}},
	"segment is a directory": {check: "start", says: ".zst", damage: func(d victim) error {
		segment := d.segment()
		return errors.Join(os.Remove(segment), os.Mkdir(segment, 0o700))
	}},
	"history is garbage": {check: "start", says: "history", damage: func(d victim) error {
		return os.WriteFile(d.path("rebuilt"), []byte("["), 0o600)
	}},
	"owner failed": {check: "owner", says: "rebuilt within a day", damage: func(d victim) error {
		err := os.WriteFile(d.path("rebuilt"), []byte(`[{"at":"`+d.now()+`","reason":"x","epoch":1,"automatic":true}]`), 0o600)
		err = errors.Join(err, d.flip(d.block(), "the first wish"), os.Remove(d.path("clean")))
		d.hook(prompt("s1", "the third wish"))
		testutil.Eventually(d, "the owner fails", func() bool { _, err := os.Stat(d.path("owner.failed")); return err == nil })
		return err
	}},
	"owner hangs": {check: "owner", says: "does not answer", damage: func(d victim) error {
		d.hook(prompt("s1", "the third wish"))
		halt(d.T, d.owner())
		return nil
	}},
	"block damaged at rest": {check: "log", says: "1 damaged place", damage: func(d victim) error {
		return errors.Join(d.flip(d.block(), "the first wish"), d.scrub())
	}},
	"segment damaged at rest": {check: "second copy", says: "1 damaged place", damage: func(d victim) error {
		b, err := os.ReadFile(d.segment())
		if err != nil {
			return err
		}
		b[len(b)/2] ^= 1
		return errors.Join(os.WriteFile(d.segment(), b, 0o600), d.scrub())
	}},
	"damage that is gone": {check: "log", says: "1 damaged place", damage: func(d victim) error {
		return errors.Join(d.flip(d.block(), "the first wish"), d.scrub(), d.flip(d.block(), "uhe first wish"))
	}},
	"events are lost": {check: "losses", says: "1 event is lost", damage: func(d victim) error {
		err := errors.Join(os.RemoveAll(d.path("archive")), d.flip(d.block(), "the second wish"))
		if _, _, code := d.run("", "repair"); code != cli.ExitDamage {
			d.Errorf("repair ends with %d", code)
		}
		return errors.Join(err, os.RemoveAll(d.suspect()))
	}},
	"copies of before": {check: "log", says: "of the previous store kept", damage: func(d victim) error {
		err := d.flip(d.block(), "the first wish")
		d.run("", "repair")
		return err
	}},
	"copy of an unknown format": {check: "log", says: "store.copy", damage: func(d victim) error {
		return os.Mkdir(d.path("store.copy"), 0o700)
	}},
	"spool file that is no report": {check: "spool", says: "could not be read", damage: func(d victim) error {
		err := os.MkdirAll(d.path("spool"), 0o700)
		err = errors.Join(err, os.WriteFile(d.path("spool", "00000000-0000000000000001-torn.ev"), []byte("x"), 0o600))
		d.run("", "log")
		return err
	}},
	"reports wait": {check: "spool", says: "starts an owner", damage: func(d victim) error {
		c := d.hooks(claude...)
		c.Env = append(slices.Clone(d.env), "JOURNAL_OWNER=never-spawn")
		d.exec(c, prompt("s1", "the third wish"))
		return nil
	}},
	"count of what was lost is a directory": {check: "kept", says: "cannot be counted", damage: func(d victim) error {
		return errors.Join(os.RemoveAll(losses.Path(d.dir)), os.MkdirAll(filepath.Join(losses.Path(d.dir), "x"), 0o700))
	}},
	"key of a team is garbage": {check: "team", says: "not an invitation", damage: func(d victim) error {
		return errors.Join(os.MkdirAll(d.path("team"), 0o700), os.WriteFile(d.path("team", "member.json"), []byte("{"), 0o600))
	}},
	"directory is open": {check: "directory", says: "can be written by others", damage: func(d victim) error { return os.Chmod(d.dir, 0o777) }},
	"paused everywhere": {check: "recording", says: "paused everywhere", damage: func(d victim) error { d.run("", "pause"); return nil }},
	"paused in a project": {check: "recording", says: "paused in", damage: func(d victim) error {
		d.run("", "pause", "--project", d.TempDir())
		return nil
	}},
}

// victim is a used journal on its way into a dead end.
type victim struct{ *world }

func (d victim) path(names ...string) string {
	return filepath.Join(append([]string{d.dir}, names...)...)
}

func (d victim) one(pattern ...string) string {
	d.Helper()
	found, err := filepath.Glob(d.path(pattern...))
	if err != nil || len(found) != 1 {
		d.Fatalf("%q are %q, error %v", pattern, found, err)
	}
	return found[0]
}

func (d victim) block() string {
	return d.one("store", "jetstream", "*", "streams", "*", "msgs", "*.blk")
}
func (d victim) segment() string { return d.one("archive", "*.zst") }
func (d victim) suspect() string { return d.one("store.suspect-*") }
func (d victim) now() string     { return time.Now().UTC().Format(time.RFC3339) }

// flip changes the first byte of a text in a file.
func (d victim) flip(path, text string) error {
	b, err := os.ReadFile(path)
	at := strings.Index(string(b), text)
	if err != nil || at < 0 {
		return errors.Join(err, errors.New(path+" does not hold "+text))
	}
	b[at] ^= 1
	return os.WriteFile(path, b, 0o600)
}

// scrub reads both copies as an owner does in quiet.
func (d victim) scrub() error {
	return copies.Scrub(context.Background(), d.dir, embedded.StreamIn(d.dir, filepath.Base(filepath.Dir(filepath.Dir(d.block())))), copies.ScrubOptions{Rate: 1 << 40, Until: 3})
}

// verdict is what doctor says of a check.
type verdict struct{ Check, Level, What, Try string }

// doctor gives what journal doctor finds.
func (d victim) doctor() (found []verdict, code int) {
	d.Helper()
	out, errOut, code := d.run("", "doctor", "--json", "--client-version", "2.1.329")
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		d.Fatalf("doctor: %v\n%s%s", err, out, errOut)
	}
	return found, code
}

// TestNoDeadEnds: of each state that doctor finds it names the command that ends it; after that nothing is wrong, and
// nothing is lost. What keeps an owner from starting verify says in the same words, and repair ends it.
func TestNoDeadEnds(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, c := range deadEnds {
		covered[c.check] = true
	}
	for _, name := range doctor.Checks() {
		if _, ok := unended[name]; !ok && !covered[name] {
			t.Errorf("nothing brings the check %q to find anything", name)
		}
	}
	used := soundHome(t)
	for name, c := range deadEnds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.unroot && os.Geteuid() == 0 {
				t.Skip("nothing is closed to root")
			}
			d := victim{newWorld(t)}
			if err := errors.Join(os.CopyFS(filepath.Dir(d.dir), os.DirFS(used)), os.Chmod(d.dir, 0o700)); err != nil {
				t.Fatal(err)
			}
			if err := c.damage(d); err != nil {
				t.Fatal(err)
			}
			if c.start {
				d.hook(prompt("s1", "the third wish"))
			}
			found, _ := d.doctor()
			i := slices.IndexFunc(found, func(f verdict) bool {
				return f.Check == c.check && f.Level != "ok" && strings.Contains(f.What, c.says)
			})
			if i < 0 {
				t.Fatalf("doctor does not find it: %+v", found)
			}
			if out, errOut, code := d.run("", "verify"); c.check == "start" {
				_, words, _ := strings.Cut(found[i].What, ": ")
				if code != cli.ExitDamage || !strings.Contains(out, words) || !strings.Contains(errOut, "try: journal repair") {
					t.Errorf("doctor says %q, and verify ends with %d: %s%s", words, code, out, errOut)
				}
			}
			try, _, _ := strings.Cut(found[i].Try, " (")
			if _, run, ok := strings.Cut(found[i].What, "; run: "); ok {
				try = run
			}
			way := exec.Command("sh", "-c", try)
			way.Env = append(slices.Clone(d.env), "PATH="+filepath.Dir(d.bin)+":"+os.Getenv("PATH"))
			if out, errOut, code := d.exec(way, ""); code != 0 {
				t.Errorf("%q ends with %d: %s%s", try, code, out, errOut)
			}
			// A process that is killed goes in its own time. Notes of what the way out left behind
			// have one themselves.
			if !testutil.Within(testutil.Patience, func() bool {
				var code int
				found, code = d.doctor()
				return code == 0 && !slices.ContainsFunc(found, func(f verdict) bool { return f.Check == c.check && strings.Contains(f.What, c.says) })
			}) {
				t.Errorf("after %q: %+v", try, found)
			}
			kept := strings.Join(d.prompts(), "; ")
			for _, text := range []string{"the first wish", "the second wish"} {
				if c.check != "losses" && !strings.Contains(kept, text) {
					t.Errorf("%q is lost: %s", text, kept)
				}
			}
			if c.start && !strings.Contains(kept, "the third wish") {
				t.Errorf("what came meanwhile is lost: %s", kept)
			}
		})
	}
}

// soundHome makes a home whose journal was used and closed, and in which doctor finds nothing.
func soundHome(t *testing.T) string {
	t.Helper()
	d := victim{newWorld(t)}
	home := filepath.Dir(d.dir)
	settings := filepath.Join(home, ".claude", "settings.json")
	err := errors.Join(os.Mkdir(filepath.Dir(settings), 0o700), os.WriteFile(settings, []byte(`{"enabledPlugins": {"journal@x": true}}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	d.hook(prompt("s1", "the first wish"))
	d.hook(prompt("s1", "the second wish"))
	d.owner()
	testutil.Eventually(t, "the second copy has all", func() bool {
		out, _, _ := d.run("", "status")
		return strings.Contains(out, "archived all")
	})
	d.run("", "stop")
	if found, code := d.doctor(); code != 0 {
		t.Fatalf("doctor finds %+v", found)
	}
	return home
}
