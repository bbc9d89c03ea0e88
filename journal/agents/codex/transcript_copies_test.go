package codex

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rows of a parent, without their times.
var parentRows = []string{
	`"type":"session_meta","payload":{"id":"parent","cwd":"/p"}`,
	`"type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}`,
	`"type":"event_msg","payload":{"type":"user_message","message":"go on"}`,
	`"type":"event_msg","payload":{"type":"token_count","info":{}}`,
	`"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"done"}`,
	`"type":"event_msg","payload":{"type":"task_started","turn_id":"t2"}`,
	`"type":"event_msg","payload":{"type":"user_message","message":"and then"}`,
}

// rollRow returns a row as of some seconds, and milliseconds, after noon.
func rollRow(millis int, row string) string {
	return fmt.Sprintf(`{"timestamp":"2026-11-20T12:%02d:%02d.%03dZ",%s}`, millis/60_000, millis/1000%60, millis%1000, row)
}

// TestCopiedRows: what a fork or a subagent has from its parent is not its own, whatever the times of the copy: with the
// parent's rollout, compressed or not, up to the last row that is the parent's; without it, as far as times tell. A watcher
// leaves out the same rows.
func TestCopiedRows(t *testing.T) {
	t.Parallel()
	const start = 600_000
	fresh := []string{
		`"type":"event_msg","payload":{"type":"task_started","turn_id":"own"}`,
		`"type":"event_msg","payload":{"type":"user_message","message":"go on"}`, // in the parent's words
	}
	for name, c := range map[string]struct {
		parent bool // its rollout is there
		old    bool // the copy has the parent's times
		meta   string
		rows   []string // of the copy
	}{
		"new times":                 {parent: true, rows: parentRows},
		"old times":                 {parent: true, old: true, rows: parentRows},
		"a part, other words":       {parent: true, rows: append([]string{`"type":"turn_context","payload":{"turn_id":"x"}`}, parentRows[1:5]...)},
		"no parent, new times":      {rows: parentRows[:5]},
		"no parent, old times":      {old: true, rows: parentRows},
		"a subagent":                {parent: true, meta: `"parent_thread_id":"parent","session_id":"parent"`, rows: parentRows},
		"a subagent of old clients": {parent: true, meta: `"source":{"subagent":{"thread_spawn":{"parent_thread_id":"parent"}}}`, rows: parentRows},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "sessions", "2026", "11", "20")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			write := func(id string, rows []string) string {
				path := filepath.Join(dir, "rollout-1-"+id+".jsonl")
				if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			if c.parent {
				var rows []string
				for i, row := range parentRows {
					rows = append(rows, rollRow(1000*i, row))
				}
				write("parent", rows)
			}
			meta := c.meta
			if meta == "" {
				meta = `"forked_from_id":"parent"`
			}
			rows := []string{rollRow(start, `"type":"session_meta","payload":{"id":"fork","cwd":"/p",`+meta+`}`)}
			for i, row := range c.rows {
				at := 1000 * i
				if !c.old {
					at = start + 1 + i
				}
				rows = append(rows, rollRow(at, row))
			}
			for i, row := range fresh {
				rows = append(rows, rollRow(start+5000+1000*i, row))
			}
			path := write("fork", rows)
			want := append([]string{rows[0]}, rows[len(rows)-len(fresh):]...)

			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := io.ReadAll(ownRows(path, f))
			if err != nil || strings.TrimSpace(string(got)) != strings.Join(want, "\n") {
				t.Errorf("own rows, %v:\n%s\nwant\n%s", err, got, strings.Join(want, "\n"))
			}
			w := copies{path: path}
			var watched []string
			for _, row := range rows {
				for _, row := range w.add([]byte(row)) {
					watched = append(watched, string(row))
				}
			}
			if strings.Join(watched, "\n") != strings.Join(want, "\n") {
				t.Errorf("watched:\n%s", strings.Join(watched, "\n"))
			}
		})
	}
}

// TestLargeParent: a large parent is read while rows are watched, not before the first is answered; then the same rows are the
// rollout's own.
func TestLargeParent(t *testing.T) {
	dir := t.TempDir()
	said := func(i int) string {
		return rollRow(1000*i, fmt.Sprintf(`"type":"event_msg","payload":{"type":"user_message","message":"%d %s"}`, i, strings.Repeat("x", 64<<10)))
	}
	rows := []string{}
	for i := range 2 * parentBytes / (64 << 10) {
		rows = append(rows, said(i))
	}
	if err := os.WriteFile(filepath.Join(dir, "rollout-1-parent.jsonl"), []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := copies{path: filepath.Join(dir, "rollout-1-child.jsonl"), watching: true}
	c.add([]byte(rollRow(9_000_000, `"type":"session_meta","payload":{"id":"child","parent_thread_id":"parent","cwd":"/p"}`)))
	if c.digests == nil || c.parent != nil {
		t.Fatal("the parent was read before the first row was answered")
	}
	parent := <-c.digests
	c.digests <- parent
	var own []string
	for _, row := range []string{rows[0], rows[5], rollRow(9_000_001, `"type":"event_msg","payload":{"type":"user_message","message":"count"}`)} {
		for _, row := range c.add([]byte(row)) {
			own = append(own, string(row))
		}
	}
	if len(own) != 1 || !strings.Contains(own[0], `"count"`) {
		t.Errorf("own rows: %d", len(own))
	}
}
