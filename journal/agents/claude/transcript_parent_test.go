package claude_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"journal/journal/agents/claude"
	"journal/journal/agents/transcript"
)

// moment is that many seconds after the start of a test.
func moment(s int) time.Time { return time.Unix(1_900_000_000+int64(s), 0).UTC() }

// at returns a row of a transcript with its id and time.
func at(s int, id string, more row) row {
	r := row{"type": "user", "uuid": id, "timestamp": moment(s)}
	maps.Copy(r, more)
	return r
}

// asked is a copied answer for which a session had asked.
func asked(session string) row { return row{"type": "assistant", "requestSessionId": session} }

// folder writes transcripts by session, in alphabetical order of the sessions.
func folder(t testing.TB, sessions map[string][]any) string {
	t.Helper()
	dir := t.TempDir()
	for i, s := range slices.Sorted(maps.Keys(sessions)) {
		path := filepath.Join(dir, s+".jsonl")
		if err := os.Rename(written(t, sessions[s]...), path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, moment(i), moment(i)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func parentOf(t testing.TB, path string, began time.Time) (session, row string, err error) {
	t.Helper()
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	return d.Parent(path, began)
}

// TestClaudeParent: the parent of a fork that began at second 10 is the session with its older rows (ADR-0020).
func TestClaudeParent(t *testing.T) {
	t.Parallel()
	own := at(11, "own", nil)
	p1, p2 := at(1, "u1", row{"sessionId": "fork"}), at(2, "u2", asked("parent"))
	for name, c := range map[string]struct {
		sessions     map[string][]any
		session, row string
	}{
		"a parent": {map[string][]any{
			"fork": {row{"type": "mode"}, p1, p2, own}, "parent": {p1, p2}, "other": {at(1, "o1", nil)},
		}, "parent", "u1"},
		"another fork of it, which is newer": {map[string][]any{
			"fork": {p1, p2, own}, "parent": {p1, p2, at(20, "u3", nil)}, "z": {p1, p2, at(12, "z1", nil)},
		}, "parent", "u1"},
		"a fork of the fork": {map[string][]any{
			"fork": {p1, p2, own}, "parent": {p1, p2}, "z": {p1, p2, own, at(20, "z1", nil)},
		}, "parent", "u1"},
		"a fork of a fork": {map[string][]any{
			"fork": {p1, p2, at(3, "a1", nil), at(4, "a2", asked("a")), own}, "parent": {p1, p2},
			"a": {p1, p2, at(3, "a1", nil), at(4, "a2", nil)},
		}, "a", "u1"},
		"a fork of a fork that had no answer": {map[string][]any{
			"fork": {p1, p2, at(3, "a1", nil), own}, "parent": {p1, p2}, "a": {p1, p2, at(3, "a1", nil)},
		}, "a", "u1"},
		"a parent that was compacted": {map[string][]any{
			"fork":   {at(5, "b", row{"subtype": "compact_boundary"}), at(5, "sum", nil), p2, own},
			"parent": {p1, p2, at(5, "b", nil), at(5, "sum", nil)},
		}, "parent", "b"},
		"a parent that lost its first row": {map[string][]any{
			"fork": {p1, p2, own}, "parent": {p2}, "other": {p2}, "z": {p2},
		}, "parent", "u2"},
		"a branch": {map[string][]any{
			"fork":   {at(1, "u1", row{"forkedFrom": row{"sessionId": "parent", "messageUuid": "u1"}}), own},
			"parent": {p1}, "z": {p1},
		}, "parent", "u1"},
		"rows that keep the parent's session": {map[string][]any{
			"fork": {at(1, "u1", row{"sessionId": "parent"}), own}, "parent": {p1}, "z": {p1},
		}, "parent", "u1"},
		"nobody named": {map[string][]any{
			"fork": {p1, at(2, "u2", nil), own}, "parent": {p1, p2}, "other": {p1},
		}, "parent", "u1"},
		"nobody named, and two alike": {map[string][]any{
			"fork": {p1, own}, "parent": {p1}, "other": {p1},
		}, "", ""},
		"the named one is gone": {map[string][]any{
			"fork": {p1, p2, own}, "other": {p1, p2},
		}, "", ""},
		"the named one is another": {map[string][]any{
			"fork": {p1, p2, own}, "parent": {at(1, "x", nil)}, "other": {p1, p2},
		}, "", ""},
		"a path for a name": {map[string][]any{
			"fork": {p1, at(2, "u2", asked("../parent")), own}, "parent": {p1, p2},
		}, "", ""},
		"nothing from before": {map[string][]any{"fork": {own}, "parent": {p1, p2}}, "", ""},
		"alone":               {map[string][]any{"fork": {p1, p2, own}}, "", ""},
		"a row that is mentioned": {map[string][]any{
			"fork": {p1, own}, "other": {at(1, "o", row{"text": `{"uuid":"u1"}`, "parentUuid": "u1"})},
		}, "", ""},
		"rows that are none": {map[string][]any{
			"fork":   {`{"uuid":"u0","timestamp":3}`, "\x00\xff", p1, `{"torn`, p2, own},
			"parent": {strings.Repeat("x", 9<<20), p1, `{"torn`, p2}, "other": {"", "{}", "[1]"},
		}, "parent", "u1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, c.sessions)
			if err := os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700); err != nil {
				t.Fatal(err)
			}
			session, row, err := parentOf(t, filepath.Join(dir, "fork.jsonl"), moment(10))
			if session != c.session || row != c.row || err != nil {
				t.Errorf("parent %q by row %q, error %v; want %q, %q", session, row, err, c.session, c.row)
			}
		})
	}
}

// TestClaudeParentNotYet: a transcript without a row of the fork's own may lack copied ones too.
func TestClaudeParentNotYet(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string][]any{
		"parent": {at(1, "u1", nil)}, "empty": nil, "mode": {row{"type": "mode"}}, "copies": {at(1, "u1", nil)},
	})
	for _, s := range []string{"gone", "empty", "mode", "copies"} {
		if session, _, err := parentOf(t, filepath.Join(dir, s+".jsonl"), moment(10)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: parent %q, error %v", s, session, err)
		}
	}
	if _, _, err := parentOf(t, dir, moment(10)); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory gives error %v", err)
	}
}

// TestClaudeParentAmongMany: the named session is read, however many sessions a project has.
func TestClaudeParentAmongMany(t *testing.T) {
	t.Parallel()
	sessions := map[string][]any{
		"fork": {at(1, "u1", asked("a")), at(11, "own", nil)}, "a": {at(1, "u1", nil)},
	}
	for i := range 600 {
		sessions[fmt.Sprintf("b%d", i)] = []any{at(1, "other", nil)}
	}
	path := filepath.Join(folder(t, sessions), "fork.jsonl")
	if session, _, err := parentOf(t, path, moment(10)); session != "a" || err != nil {
		t.Errorf("parent %q, error %v", session, err)
	}
}

// TestClaudeParentLaw: sessions continue and are forked in any order: the parent of each fork is found if it had an
// answer of its own, and never another session.
func TestClaudeParentLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		type fork struct {
			parent string
			began  int
			sure   bool
		}
		names := []string{"s0"}
		rows := map[string][]any{"s0": {at(0, "u0", nil), at(1, "a0", row{"type": "assistant"})}}
		answered := map[string]bool{"s0": true}
		forks := map[string]fork{}
		now := 1
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			now += 2
			s := rapid.SampledFrom(names).Draw(r, "session")
			if rapid.Bool().Draw(r, "fork") {
				name := fmt.Sprintf("s%d", len(names))
				forks[name] = fork{s, now, answered[s]}
				for _, x := range rows[s] {
					c := maps.Clone(x.(row))
					if c["type"] == "assistant" && c["requestSessionId"] == nil {
						c["requestSessionId"] = s
					}
					rows[name] = append(rows[name], c)
				}
				names = append(names, name)
				s = name
			}
			rows[s] = append(rows[s], at(now, fmt.Sprintf("u%d", now), nil))
			if rapid.Bool().Draw(r, "answer") {
				answered[s] = true
				rows[s] = append(rows[s], at(now+1, fmt.Sprintf("a%d", now), row{"type": "assistant"}))
			}
		}
		dir := folder(t, rows)
		for name, f := range forks {
			got, _, err := parentOf(t, filepath.Join(dir, name+".jsonl"), moment(f.began))
			if err != nil || got != f.parent && (f.sure || got != "") {
				r.Errorf("the parent of %s is %q, want %q, error %v", name, got, f.parent, err)
			}
		}
	})
}

func FuzzClaudeParent(f *testing.F) {
	f.Add([]byte(`{"uuid":"u","timestamp":"2026-01-01T00:00:00Z","requestSessionId":"other"}`+"\n"+
		`{"uuid":"v","timestamp":"2036-01-01T00:00:00Z"}`), []byte(`{"uuid":"u"}`))
	f.Add([]byte(`{"uuid":"u","timestamp":1,"forkedFrom":[]}`), []byte(`{"uuid":"`))
	f.Fuzz(func(t *testing.T, fork, other []byte) {
		dir := t.TempDir()
		for name, b := range map[string][]byte{"fork.jsonl": fork, "other.jsonl": other} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		session, row, err := parentOf(t, filepath.Join(dir, "fork.jsonl"), moment(0))
		switch {
		case err != nil && (!errors.Is(err, fs.ErrNotExist) || session != ""):
			t.Errorf("parent %q, error %v", session, err)
		case (session == "") != (row == ""), session != "" && session != "other":
			t.Errorf("parent %q by row %q", session, row)
		case row != "" && !bytes.Contains(other, []byte(row)):
			t.Errorf("row %q is not in the parent", row)
		}
	})
}
