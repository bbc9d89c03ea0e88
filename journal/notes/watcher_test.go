package notes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/notes"
	"journal/journal/notes/sections"
	"journal/journal/wire"
)

// world is one project of one person, as hooks find it.
type world struct {
	testing.TB
	dir, root, home string
	options         notes.Options
	changes         int
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	base := tb.TempDir()
	patient := notes.Options{Pace: func(time.Duration) time.Duration { return time.Hour }}
	w := &world{TB: tb, options: patient, dir: filepath.Join(base, "journal"), root: filepath.Join(base, "project"), home: filepath.Join(base, "home")}
	for _, dir := range []string{w.dir, w.root, w.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// write writes a file of the project at a time of its own, as long ago that
// another change would show.
func (w *world) write(name, content string) {
	w.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.root, name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
	w.changes++
	at := time.Now().Add(-time.Hour + time.Duration(w.changes)*time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		w.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.Helper()
	if err := os.RemoveAll(filepath.Join(w.root, name)); err != nil {
		w.Fatal(err)
	}
}

// watcher is that of one hook process.
func (w *world) watcher() *notes.Watcher {
	return notes.New(w.dir, w.root, w.home, w.options)
}

// all is what the owner makes of what a hook observes that looks at everything and
// ends well.
func (w *world) all() []events.FileObserved {
	w.Helper()
	found, commit := w.watcher().All()
	commit()
	return w.read(found)
}

func (w *world) read(found []notes.File) (all []events.FileObserved) {
	w.Helper()
	for _, f := range found {
		if f.Gap == "" && !f.Gone {
			content, err := f.Text.Unpack()
			if err != nil {
				w.Fatal(err)
			}
			sections.Read(&f.FileObserved, content)
		}
		all = append(all, f.FileObserved)
	}
	return all
}

// paths returns "kind path" of each observation, and its gap.
func paths(found []events.FileObserved) []string {
	all := []string{}
	for _, f := range found {
		s := f.Kind + " " + f.Path
		if f.Gone {
			s += " gone"
		}
		if f.Gap != "" {
			s += ": " + f.Gap
		}
		all = append(all, s)
	}
	return all
}

func (w *world) wantPaths(found []events.FileObserved, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, paths(found), cmpopts.EquateEmpty()); diff != "" {
		w.Fatalf("observed (-want +got):\n%s", diff)
	}
}

const progress = ".claude/context/progress.md"

func TestWhichFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shared := filepath.Join(w.home, "shared")
	w.options.Dirs = []string{"notes", shared}
	for _, name := range []string{
		progress, ".claude/context/task_plan.md", ".claude/context/learnings.md", ".claude/context/learnings-coding.md",
		".claude/context/last-compact.json", ".claude/context/readme.md", ".claude/context/progress.md.bak",
		"docs/plans/.cpm-progress.md", "docs/plans/.cpm-progress-0a1b.md", "docs/plans/.cpm-progressive.md", "docs/plans/plan.md",
		"docs/plans/progress.md", "progress.md", "notes/progress.md", "notes/.cpm-progress-1.md", "notes/else.md",
		filepath.Join(shared, "learnings-team.md"),
		filepath.Join(w.home, ".claude/learnings/global-learnings.md"), filepath.Join(w.home, ".claude/learnings/.draft.md"),
	} {
		w.write(name, "## One\ntext\n")
	}
	w.write(".claude/context/compound-last-run.json", `{"timestamp": "2026-03-01T00:00:00Z", "promotedCount": 4, "other": [1]}`)
	found := w.all()
	w.wantPaths(found,
		"compound .claude/context/compound-last-run.json",
		"other .claude/context/learnings.md",
		"stock "+filepath.ToSlash(filepath.Join(w.home, ".claude/learnings/global-learnings.md")),
		"stock "+filepath.ToSlash(filepath.Join(shared, "learnings-team.md")),
		"stock .claude/context/learnings-coding.md",
		"plan .claude/context/task_plan.md",
		"flow notes/progress.md",
		"flow .claude/context/progress.md",
		"skill notes/.cpm-progress-1.md",
		"skill docs/plans/.cpm-progress-0a1b.md",
		"skill docs/plans/.cpm-progress.md",
	)
	if diff := cmp.Diff([]events.Label{{Name: "timestamp", Value: "2026-03-01T00:00:00Z"}, {Name: "promotedCount", Value: "4"}}, found[0].Labels); diff != "" {
		t.Errorf("labels of the last compound (-want +got):\n%s", diff)
	}
	want := events.FileObserved{
		Path: progress, Kind: "flow", Digest: "f91a6134a1927c9e", Size: 12, Entries: []events.Entry{{Heading: "One", Text: "text"}},
	}
	info, err := os.Stat(filepath.Join(w.root, progress))
	if err != nil {
		t.Fatal(err)
	}
	want.Changed = info.ModTime().UnixNano()
	if diff := cmp.Diff(want, found[7]); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	w.wantPaths(w.all())
}

// Results of compilers (S2.4), beside each other and in a directory for each session,
// one level deep.
func TestCompileResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{
		"s1-compile-src-a-b.json", "s2/compile-src-a.json", "compile-root.json", "s1-decompile-src.json", "s1-compile-src.md",
		"s2/deep/compile-x.json", "s1-drift-src.json",
	} {
		w.write(".claude/tmp/"+name, `{"status": "success"}`)
	}
	found := w.all()
	w.wantPaths(found,
		"compile .claude/tmp/compile-root.json", "compile .claude/tmp/s2/compile-src-a.json", "compile .claude/tmp/s1-compile-src-a-b.json")
	if diff := cmp.Diff([]events.Label{{Name: "status", Value: "success"}}, found[0].Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	for _, name := range []string{"s1-compile-src-a-b.json", "s2/compile-src-a.json", "s2/deep/compile-x.json"} {
		w.write(".claude/tmp/"+name, `{"status": "failed"}`)
	}
	again, commit := w.watcher().Written([]string{
		".claude/tmp/s2/compile-src-a.json", filepath.Join(w.root, ".claude/tmp/s1-compile-src-a-b.json"), ".claude/tmp/s2/deep/compile-x.json",
	})
	commit()
	w.wantPaths(w.read(again), "compile .claude/tmp/s2/compile-src-a.json", "compile .claude/tmp/s1-compile-src-a-b.json")
}

// TestChanges: an unchanged file is not observed again, a changed one is, and a
// removed one is once (ADR-0007).
func TestChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.wantPaths(w.all())
	w.write(progress, "## One\na\n")
	if found, _ := w.watcher().All(); len(found) != 1 {
		t.Fatalf("%d files", len(found))
	}
	w.wantPaths(w.all(), "flow "+progress) // the hook before did not end well
	w.wantPaths(w.all())
	w.write(progress, "## One\nb\n") // of the same length
	found := w.all()
	w.wantPaths(found, "flow "+progress)
	if found[0].Entries[0].Text != "b" {
		t.Errorf("observed %+v", found[0])
	}
	w.write("docs/plans/.cpm-progress-1.md", "# S\n")
	w.wantPaths(w.all(), "skill docs/plans/.cpm-progress-1.md")
	w.remove(".claude")
	w.wantPaths(w.all(), "flow "+progress+" gone")
	w.wantPaths(w.all())
	w.write(progress, "")
	w.wantPaths(w.all(), "flow "+progress)
	if err := os.RemoveAll(filepath.Join(w.dir, "observed")); err != nil {
		t.Fatal(err)
	}
	w.wantPaths(w.all(), "flow "+progress, "skill docs/plans/.cpm-progress-1.md")
	for _, damage := range []string{"", "{", "[]", `{"a": 1}`, "null"} {
		hints, err := filepath.Glob(filepath.Join(w.dir, "observed", "*"))
		if err != nil || len(hints) != 1 {
			t.Fatalf("hints %v, %v", hints, err)
		}
		w.write(hints[0], damage)
		w.wantPaths(w.all(), "flow "+progress, "skill docs/plans/.cpm-progress-1.md")
	}
}

// TestJustChanged: a file that was written a moment ago can be written again
// without another size or time, so the next scan reads it.
func TestJustChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(progress, "## One\n")
	now := time.Now()
	seenAt := func(age time.Duration) []notes.File {
		t.Helper()
		o := w.watcher()
		o.At(now.Add(age))
		found, commit := o.All()
		commit()
		return found
	}
	changedAt := func(at time.Time) {
		t.Helper()
		w.write(progress, "## One\n")
		if err := os.Chtimes(filepath.Join(w.root, progress), at, at); err != nil {
			t.Fatal(err)
		}
	}
	changedAt(now.Add(time.Minute))
	w.wantPaths(w.read(seenAt(0)), "flow "+progress)
	w.wantPaths(w.read(seenAt(0))) // a time in the future never settles: it is taken as it is
	changedAt(now)
	w.wantPaths(w.read(seenAt(0)), "flow "+progress)
	w.wantPaths(w.read(seenAt(15*time.Millisecond)), "flow "+progress)
	w.wantPaths(w.read(seenAt(21*time.Millisecond)), "flow "+progress)
	w.wantPaths(w.read(seenAt(22 * time.Millisecond)))
}

func TestWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(progress, "## One\n")
	w.write("docs/plans/.cpm-progress.md", "# S\n")
	written := func(names ...string) []events.FileObserved {
		found, commit := w.watcher().Written(names)
		commit()
		return w.read(found)
	}
	w.wantPaths(written())
	w.wantPaths(written(filepath.Join(w.root, "main.go"), filepath.Join(w.root, "progress.md"), ""))
	found := written(filepath.Join(w.root, progress), progress, filepath.Join(w.root, "main.go"))
	w.wantPaths(found, "flow "+progress)
	if !found[0].Written {
		t.Error("not marked as written")
	}
	found = w.all()
	w.wantPaths(found, "skill docs/plans/.cpm-progress.md")
	if found[0].Written {
		t.Error("marked as written")
	}
	// Another way to the project, as on macOS, where /tmp is a link.
	link := filepath.Join(w.home, "link")
	if err := os.Symlink(w.root, link); err != nil {
		t.Skip(err)
	}
	w.write(progress, "## Two\n")
	w.wantPaths(written(filepath.Join(link, progress)), "flow "+progress)
	w.wantPaths(written(filepath.Join(w.home, progress)))
}

// TestGaps: a file that cannot be read is observed once with the reason, and nothing else is lost (S1.11).
func TestGaps(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, content, gap string }{
		{"large", strings.Repeat("x", 1<<20+1), "over 1 MiB"},
		{"NUL", "## One\n\x00", "binary"},
		{"no UTF-8", "## One\n\xff", "binary"},
		{"half a character", "## 결정"[:5], "binary"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(progress, tc.content)
			w.write(".claude/context/task_plan.md", "## Plan\n")
			found := w.all()
			w.wantPaths(found, "plan .claude/context/task_plan.md", "flow "+progress+": "+tc.gap)
			if found[1].Digest != "" || found[1].Entries != nil || found[1].Size != int64(len(tc.content)) {
				t.Errorf("observed %+v", found[1])
			}
			w.wantPaths(w.all())
			w.write(progress, "## One\n")
			w.wantPaths(w.all(), "flow "+progress)
		})
	}
	for name, content := range map[string]string{"cut": `{"timestamp": "2026-`, "a list": "[1]", "null": "null", "empty": "", "a word": `"x"`} {
		t.Run("compound/"+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(".claude/context/compound-last-run.json", content)
			w.wantPaths(w.all(), "compound .claude/context/compound-last-run.json: malformed")
		})
	}
}

func TestExactlyOneMiB(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(progress, "## One\n"+strings.Repeat("word ", 1<<20/5)[:1<<20-7])
	found := w.all()
	if len(found) != 1 || found[0].Digest == "" || found[0].Size != 1<<20 {
		t.Fatalf("observed %q", paths(found))
	}
	if text := found[0].Entries[0].Text; len(text) > 260<<10 || !strings.Contains(text, "bytes sha256:") {
		t.Errorf("a text of %d bytes", len(text))
	}
}

// TestRedacted: nothing of a file leaves without that its secrets are removed,
// also one that a cut would hide from the rules.
func TestRedacted(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("Ab3", 12)
	w := newWorld(t)
	w.write(progress, "## Use "+secret+"\n"+strings.Repeat("x ", 128<<9)+secret+strings.Repeat(" y", 300<<9)+"\n**Key**: "+secret+"\n")
	w.write(".claude/context/compound-last-run.json", `{"timestamp": "`+secret+`"}`)
	found := w.all()
	if len(found) != 2 || found[1].Entries == nil {
		t.Fatalf("observed %q", paths(found))
	}
	if s := fmt.Sprintf("%+v", found); strings.Contains(s, secret[:12]) {
		t.Error("a secret is in the observation")
	}
	if !strings.Contains(found[1].Entries[0].Heading, "[redacted:") {
		t.Errorf("heading %q", found[1].Entries[0].Heading)
	}
	plain := newWorld(t)
	plain.write(progress, "## Use "+found[1].Entries[0].Heading[4:]+"\n")
	other := newWorld(t)
	other.write(progress, "## Use "+secret+"\n")
	if a, b := plain.all()[0].Digest, other.all()[0].Digest; a != b {
		t.Errorf("digest %s of the redacted text, %s of the other: it would tell the secret", a, b)
	}
}

// TestManyFiles: at most 20 are read in one look, the most needed first, and the
// next looks go on.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(progress, "## One\n")
	for i := range 45 {
		w.write(fmt.Sprintf(".claude/context/learnings-%02d.md", i), "## L\n")
	}
	read, gaps := map[string]bool{}, 0
	for look := range 3 {
		found := w.all()
		n := 0
		for _, f := range found {
			if f.Gap != "" {
				gaps++
				continue
			}
			n++
			if read[f.Path] {
				t.Errorf("%s is read again", f.Path)
			}
			read[f.Path] = true
		}
		if n > 20 {
			t.Fatalf("%d files read", n)
		}
		if look == 0 && !read[progress] {
			t.Error("the working notes were not read first")
		}
	}
	if len(read) != 46 || gaps != 2 {
		t.Errorf("%d files read with %d gaps", len(read), gaps)
	}
	w.wantPaths(w.all())
}

// TestTogetherTheyFitARequest: the observations of one look are one message to
// the owner, beside the largest event.
func TestTogetherTheyFitARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 6 {
		w.write(fmt.Sprintf(".claude/context/learnings-%d.md", i), "## L\n"+strings.Repeat("pages ", 20<<10)+"\n")
	}
	seen := 0
	for look := 0; seen < 6; look++ {
		found, commit := w.watcher().All()
		commit()
		var r wire.Request
		for _, f := range found {
			e, err := events.Wrap(f.FileObserved, events.Meta{Project: "p"})
			if err != nil {
				t.Fatal(err)
			}
			b, err := events.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			r.Files = append(r.Files, wire.File{Event: b, Text: f.Text})
		}
		b, err := wire.Encode(r)
		if err != nil || len(b) > 480<<10 || len(found) == 0 || look > 6 {
			t.Fatalf("look %d: %d files of %d bytes, error %v", look, len(found), len(b), err)
		}
		seen += len(found)
	}
}

// TestDense: a text that does not fit into a request even if compressed is a gap.
func TestDense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(progress, "## One\n"+testutil.Words(0, 1000<<10))
	w.wantPaths(w.all(), "flow "+progress+": over 480 KiB, however compressed")
	w.wantPaths(w.all())
}

// TestFit: too many entries for an event leave the newest, in whichever order the
// file has them, and an entry that is too long is cut beyond 256 KiB (ADR-0014).
func TestFit(t *testing.T) {
	t.Parallel()
	section := func(day int) string {
		return fmt.Sprintf("## 2026-03-%02d — a step\n%s\n\n", day, strings.Repeat(fmt.Sprintf("day %02d ", day), 8<<10))
	}
	rising, falling := "", ""
	for day := 1; day <= 12; day++ {
		rising += section(day)
		falling = section(day) + falling
	}
	for name, content := range map[string]string{"newest last": rising, "newest first": falling} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(progress, content)
			f := w.all()[0]
			e, err := events.Wrap(f, events.Meta{Project: "p"})
			if err != nil {
				t.Fatal(err)
			}
			if b, err := events.Encode(e); err != nil || len(b) < 400<<10 {
				t.Errorf("%d bytes, %v", len(b), err)
			}
			if len(f.Entries) != 8 || f.Gap != "over 480 KiB: 4 entries left out" {
				t.Fatalf("%d entries, gap %q", len(f.Entries), f.Gap)
			}
			held := fmt.Sprint(f.Entries)
			if !strings.Contains(held, "2026-03-12") || strings.Contains(held, "2026-03-04") {
				t.Error("the newest were left out")
			}
			for _, e := range f.Entries {
				if len(e.Text) < 50<<10 {
					t.Errorf("%s is cut to %d bytes", e.Heading, len(e.Text))
				}
			}
			w.wantPaths(w.all())
		})
	}
}

// TestHostileMarkdown: a file that keeps the parser busy is given up after a
// quarter of a second, once, and costs nothing but what it would have told.
func TestHostileMarkdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/context/task_plan.md", "> > >")
	w.write(".claude/context/learnings-a.md", "## L\n")
	w.write(progress, "## One\n")
	o := notes.New(w.dir, w.root, w.home, notes.Options{Pace: func(budget time.Duration) time.Duration {
		if budget == 50*time.Millisecond {
			return time.Hour // however long the other files take
		}
		return budget
	}})
	budget := o.Stuck("task_plan.md")
	found, commit := o.All()
	commit()
	w.wantPaths(w.read(found), "plan .claude/context/task_plan.md: out of time", "flow "+progress)
	if got := <-budget; got != 250*time.Millisecond {
		t.Errorf("it was given up after %v", got)
	}
	w.wantPaths(w.all(), "stock .claude/context/learnings-a.md")
	w.wantPaths(w.all())
}

// TestOutOfTime: no file is begun 50 ms after the first.
func TestOutOfTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".claude/context/task_plan.md", "## Plan\n")
	w.write(".claude/context/learnings-a.md", "## L\n")
	w.write(progress, "## One\n")
	o := notes.New(w.dir, w.root, w.home, notes.Options{Pace: func(budget time.Duration) time.Duration {
		if budget == 50*time.Millisecond {
			return -1 // over before it begins
		}
		return time.Hour
	}})
	found, commit := o.All()
	commit()
	w.wantPaths(w.read(found), "flow "+progress+": out of time")
	w.wantPaths(w.all(), "stock .claude/context/learnings-a.md", "plan .claude/context/task_plan.md", "flow "+progress)
}

// TestMemory: the files that a client keeps for its model in its folder of this project, and the instructions in the root.
func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Memory = []notes.Memory{
		{Dir: ".client/{project}/memory", Names: "*.md", Loaded: "MEMORY.md", Lines: 2}, {Names: "RULES.md", Loaded: "RULES.md"},
	}
	folder := strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, w.root)
	w.write(filepath.Join(w.home, ".client", folder, "memory", "MEMORY.md"), "one\ntwo\nthree\n")
	w.write(filepath.Join(w.home, ".client", folder, "memory", "doors.md"), "- oak\n")
	w.write(filepath.Join(w.home, ".client", "another", "memory", "MEMORY.md"), "no\n")
	w.write("RULES.md", "be kind\n")
	w.write("README.md", "no\n")
	found, commit := notes.New(w.dir, w.root, w.home, w.options).All()
	got := map[string]int{}
	for _, f := range found {
		if f.Kind != events.MemoryFile || f.Text.Size() == 0 {
			t.Errorf("%+v", f)
		}
		got[filepath.Base(f.Path)] = f.Loaded
	}
	if want := map[string]int{"MEMORY.md": 2, "doors.md": 0, "RULES.md": 2}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	commit()
	if again, _ := notes.New(w.dir, w.root, w.home, w.options).All(); len(again) != 0 {
		t.Errorf("unchanged: %+v", again)
	}
}
