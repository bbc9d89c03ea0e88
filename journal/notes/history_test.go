package notes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
)

// fixture returns a directory of real files, or skips the test.
func fixture(t *testing.T, name string) string {
	t.Helper()
	base := os.Getenv("JOURNAL_FIXTURES")
	dir := filepath.Join(base, "third-party", name)
	if _, err := os.Stat(dir); base == "" || err != nil {
		t.Skip("no fixtures here")
	}
	return dir
}

// told is a fold of one session, which gets events as from the owner of a log.
type told struct {
	*testing.T
	fold *projections.Fold
	seq  uint64
}

func newTold(t *testing.T, session string) *told {
	return &told{T: t, fold: projections.NewFold(projections.Target{Project: "p", Session: session}, projections.Config{}, projections.All()...)}
}

func (l *told) say(session string, all ...events.Event) {
	l.Helper()
	for _, e := range all {
		l.seq++
		env, err := events.Wrap(e, events.Meta{Project: "p", Session: session, At: int64(l.seq) * 1e9})
		if err != nil {
			l.Fatal(err)
		}
		env.Seq = l.seq
		l.fold.Apply(env)
	}
}

func (l *told) sees(session string, found []events.FileObserved) {
	l.Helper()
	for _, f := range found {
		if f.Gap != "" {
			l.Errorf("%s: %s", f.Path, f.Gap)
		}
		l.say(session, f)
	}
}

// entriesByLine reads entries by lines: the files of the fixture have no fences.
func entriesByLine(markdown string) []string {
	var all []string
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "## ") {
			all = append(all, "")
		}
		if len(all) > 0 {
			all[len(all)-1] += line
		}
	}
	for i := range all {
		all[i] = strings.TrimRight(all[i], "\n ")
	}
	return all
}

// put writes the files of a state into the project, and returns their paths.
func (w *world) put(state string) (written []string) {
	w.Helper()
	contextDir := ".claude/context"
	now, err := os.ReadDir(state)
	if err != nil {
		w.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range now {
		names[f.Name()] = true
		content, err := os.ReadFile(filepath.Join(state, f.Name()))
		if err != nil {
			w.Fatal(err)
		}
		path := filepath.Join(contextDir, f.Name())
		if old, err := os.ReadFile(filepath.Join(w.root, path)); err == nil && string(old) == string(content) {
			continue
		}
		w.write(path, string(content))
		written = append(written, filepath.Join(w.root, path))
	}
	old, err := os.ReadDir(filepath.Join(w.root, contextDir))
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range old {
		if !names[f.Name()] {
			w.remove(filepath.Join(contextDir, f.Name()))
		}
	}
	return written
}

var day = regexp.MustCompile(`\d{4}-\d\d-\d\d(T\d\d:\d\d)?`)

// TestPraxisHistory plays the states of a real project's notes, as a session that
// wrote them: S1.13 (all entries are listed, and what vanished can be restored
// word for word), S1.5 (newest means newest) and S1.6 (no compound that the log
// does not hold).
func TestPraxisHistory(t *testing.T) {
	t.Parallel()
	states, err := filepath.Glob(filepath.Join(fixture(t, "praxis-context-history"), "[0-9][0-9]-*"))
	if err != nil || len(states) != 27 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	w, l := newWorld(t), newTold(t, "s")
	ever := map[string]bool{}
	var before []string
	var compound string
	for _, state := range states {
		name := filepath.Base(state)
		was := projections.Flow.In(l.fold)
		written := w.put(state)
		// One hook per file, as the tool calls that wrote them; the end of the turn
		// sees what was removed.
		for _, path := range written {
			found, commit := w.watcher().Written([]string{path})
			l.sees("s", w.read(found))
			commit()
		}
		l.sees("s", w.all())
		flow := projections.Flow.In(l.fold)

		content, err := os.ReadFile(filepath.Join(state, "progress.md"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		there := entriesByLine(string(content))
		for _, s := range there {
			ever[s] = true
		}
		standing := []string{}
		for _, e := range flow.Entries {
			if e.DroppedSeq == 0 && !e.Plan {
				standing = append(standing, "## "+e.Heading+"\n"+e.Text)
			}
		}
		if got, want := slices.Sorted(slices.Values(standing)), slices.Sorted(slices.Values(there)); !slices.Equal(got, want) {
			t.Errorf("%s: %d entries stand, want %d", name, len(got), len(want))
		}
		checkNewest(t, name, flow, before, there)
		before = there

		last, _ := os.ReadFile(filepath.Join(state, "compound-last-run.json"))
		ran := flow.Compound.Seq != was.Compound.Seq
		if ran != (string(last) != compound && len(last) > 0) {
			t.Errorf("%s: compound claimed: %t", name, ran)
		}
		compound = string(last)
	}
	flow := projections.Flow.In(l.fold)
	lost := flow.Dropped()
	if len(ever) != 37 || len(flow.Entries) != 37 || len(lost) != 35 {
		t.Errorf("%d entries ever, %d listed, %d lost", len(ever), len(flow.Entries), len(lost))
	}
	for _, e := range lost {
		if !ever["## "+e.Heading+"\n"+e.Text] {
			t.Errorf("%s is not what was written:\n%s", e.ID, e.Text)
		}
	}
	// Counted by hand in the last state: 25 learnings in learnings-*.md, confirmed 33
	// times. The 13 of learnings.md are no Stock (S1.14).
	if c := projections.Stock.In(l.fold).Confidence(); c != (projections.Confidence{Entries: 25, Mean: 1.3}) {
		t.Errorf("confidence %+v", c)
	}
}

// checkNewest compares the newest entry with the newest date of those that came
// with a state, wherever in the file they stand.
func checkNewest(t *testing.T, name string, flow projections.FlowState, before, there []string) {
	t.Helper()
	var dates []string
	for _, s := range there {
		if !slices.Contains(before, s) {
			heading, _, _ := strings.Cut(s, "\n")
			dates = append(dates, day.FindString(heading))
		}
	}
	if len(dates) == 0 {
		return
	}
	if newest := slices.Max(dates); day.FindString(flow.Entries[0].Heading) != newest {
		t.Errorf("%s: the newest entry is %q, want one of %s", name, flow.Entries[0].Heading, newest)
	}
}

// TestCPMFiles: the real files of a family of skills give what S3.1 asks for, to
// their own session (S3.8), and end with their file (S3.4).
func TestCPMFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(fixture(t, "cpm-progress"), "*.md"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			id := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "cpm-progress"), ".md"), "-")
			session := id
			if len(id) < 36 {
				session += "bb93f15d-0000-4000-8000-000000000000"[len(id):]
			}
			w, own, other := newWorld(t), newTold(t, session), newTold(t, "another")
			path := "docs/plans/." + filepath.Base(file)
			w.write(path, string(content))
			found, commit := w.watcher().Written([]string{filepath.Join(w.root, path)})
			commit()
			own.sees(session, w.read(found))
			other.sees(session, w.read(found))
			s := projections.Phase.In(own.fold)
			value := func(name string) string {
				m := regexp.MustCompile(`(?m)^\*\*(?:` + name + `)\*\*: (.*)$`).FindStringSubmatch(string(content))
				if m == nil {
					return ""
				}
				return m[1]
			}
			_, next, _ := strings.Cut(string(content), "\n## Next Action\n")
			if s.Skill != value("Skill") || s.Skill == "" || s.Phase != value("Phase|Current task") || s.Phase == "" {
				t.Errorf("skill %q, phase %q", s.Skill, s.Phase)
			}
			if s.Output != value("Output target") || s.Next != strings.TrimSpace(next) || s.Next == "" {
				t.Errorf("output %q, next %q", s.Output, s.Next)
			}
			done := 0
			if _, part, ok := strings.Cut(string(content), "\n## Completed "); ok {
				part, _, _ = strings.Cut(part, "\n## ")
				done = strings.Count(part, "\n### ")
			}
			if len(s.Completed) != done || !s.Active() {
				t.Errorf("%d phases done, want %d; %s", len(s.Completed), done, s.Status)
			}
			for _, c := range s.Completed {
				if c.Summary == "" || !strings.Contains(string(content), c.Summary) {
					t.Errorf("summary of %s: %q", c.Phase, c.Summary)
				}
			}
			if s := projections.Phase.In(other.fold); s.Status != "" {
				t.Errorf("another session is told of %s", s.Skill)
			}
			w.remove(path)
			own.sees("another", w.all())
			if s := projections.Phase.In(own.fold); s.Status != "finished" {
				t.Errorf("status %q after the end of the file", s.Status)
			}
		})
	}
}
