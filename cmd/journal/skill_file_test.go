package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/events"
	"journal/events/text"
	"journal/journal/notes/sections"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// recoveredSkill gives the recovery text of a session that has written a skill's own
// file, and of other things.
func recoveredSkill(t *testing.T, content string, others ...events.Event) recovery.Text {
	t.Helper()
	found := events.FileObserved{Path: "docs/plans/.cpm-progress-s.md", Kind: events.SkillFile, Digest: "d"}
	sections.Read(&found, content)
	var log replay.Slice
	for i, e := range append(append([]events.Event{found}, others...), events.ContextRestarted{}) {
		env, err := events.Wrap(e, events.Meta{ID: events.NewID(), Project: "p", Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		env.Seq = uint64(i + 1)
		log = append(log, env)
	}
	r, err := recovery.Replayed(t.Context(), log, projections.Target{Project: "p", Session: "s"}, projections.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	source, err := recovery.Template("en", "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := recovery.Render(r, source, recovery.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// missing gives the lines of content that a text does not have.
func missing(content, text string) (lines []string) {
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(text, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A skill's own file comes back as it is, whatever its sections are called (S3.2).
func TestSkillFileIsWhole(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/skill-files/*.md")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out := recoveredSkill(t, string(content))
		if lost := missing(string(content), out.Text); len(lost) > 0 {
			t.Errorf("%s: %d lines are missing: %q", name, len(lost), lost)
		}
	}
}

// One that is too long loses its oldest phases first, and never where to go on.
func TestLongSkillFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# CPM Session State\n\n**Skill**: cpm:do\n**Phase**: 9\n\n## Completed Phases\n\n")
	for _, phase := range []string{"one", "two", "three", "four"} {
		b.WriteString("### Phase " + phase + "\n" + strings.Repeat("learned "+phase+". ", 150) + "\n\n")
	}
	b.WriteString("## Decisions\n\n1. bricks\n\n## Next Action\nlay the fourth floor\n")
	out := recoveredSkill(t, b.String())
	for _, want := range []string{"learned four. learned four", "### Phase one", "1. bricks", "## Next Action", "lay the fourth floor"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("no %q in\n%s", want, out.Text)
		}
	}
	if n := strings.Count(out.Text, "learned one."); n > 20 {
		t.Errorf("the oldest phase has %d of its sentences", n)
	}
	if n := strings.Count(out.Text, "learned three."); n != 150 {
		t.Errorf("a newer phase has %d of its sentences", n)
	}
	long := recoveredSkill(t, "**Skill**: x\n\n## Talk\n"+strings.Repeat("a line of talk\n", 900)+"\n## Next Action\ngo on\n")
	if text.Units(long.Text) > 9500 || !strings.Contains(long.Text, "## Next Action") {
		t.Errorf("%d units:\n%s", text.Units(long.Text), long.Text)
	}
}

// It comes back whole where there is far more to tell than a text has room for.
func TestSkillFileInAFullText(t *testing.T) {
	t.Parallel()
	content := "# CPM Session State\n\n**Skill**: cpm:do\n**Phase**: 2\n\n## Talk\n" +
		strings.Repeat("somebody said something of note\n", 170) + "\n## Next Action\ngo on\n"
	var others []events.Event
	for i := range 200 {
		others = append(others,
			events.FileWritten{Path: fmt.Sprintf("/a/long/way/to/the/file/of/number/%d.go", i), Op: "edit"},
			events.PromptSubmitted{Text: fmt.Sprint(i, strings.Repeat(" please go on with this", 60))},
			events.DecisionRecorded{Text: fmt.Sprint(i, strings.Repeat(" is decided", 20))},
			events.CommandRan{Command: fmt.Sprint("make ", i), Failed: true, Error: strings.Repeat("no rule ", 20)},
		)
	}
	out := recoveredSkill(t, content, others...)
	if n := strings.Count(out.Text, "somebody said something of note"); n != 170 || out.Units > 9500 {
		t.Errorf("%d of 170 lines, %d units in\n%s", n, out.Units, out.Text)
	}
}
