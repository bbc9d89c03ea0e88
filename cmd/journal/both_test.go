package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/spool"
	"journal/journal/wire"
)

// TestBothPrograms: journal-hook is journal hook and journal statusline, to the byte:
// what it prints, how it ends, and what it hands over, of every payload that was
// captured and of everything that is none.
func TestBothPrograms(t *testing.T) {
	t.Parallel()
	type call struct{ small, large []string }
	hook := func(args ...string) call { return call{args, append([]string{"hook"}, args...)} }
	line := func(args ...string) call {
		args = append([]string{"statusline"}, args...)
		return call{args, args}
	}
	type input struct {
		name, stdin string
		call
	}
	var inputs []input
	for name, c := range badInput {
		inputs = append(inputs, input{name, c.stdin, hook(c.args...)}, input{name, c.stdin, line()})
	}
	inputs = append(inputs,
		input{"another directory", "{}", call{[]string{"--dir=elsewhere", "claude"}, []string{"--dir=elsewhere", "hook", "claude"}}},
		input{"the name of the event", `{"session_id":"s"}`, hook("claude", "Stop")},
		input{"a command", "{}", line("--", "sh", "-c", "cat; echo on stderr >&2; exit 3")},
		input{"no command", "{}", line("--")},
		input{"a command that is not there", "{}", line("no-such-command-here")},
	)
	for name, stdin := range captured(t) {
		if strings.Contains(stdin, "context_window") {
			inputs = append(inputs, input{name, stdin, line()})
		} else {
			inputs = append(inputs, input{name, stdin, hook("claude")})
		}
	}
	if len(inputs) < 150 {
		t.Fatalf("%d inputs: where are the payloads?", len(inputs))
	}
	type outcome struct {
		Out, Err string
		Code     int
		Handed   []handed
		Log      string
	}
	run := func(in input, large bool) (o outcome) {
		w := newHome(t)
		w.env = append(w.env, "JOURNAL_OWNER=never-spawn")
		c := w.hooks(in.small...)
		if large {
			c = w.command(in.large...)
		}
		c.Dir = filepath.Dir(w.dir)
		o.Out, o.Err, o.Code = w.exec(c, in.stdin)
		for _, dir := range []string{w.dir, filepath.Join(c.Dir, "elsewhere")} {
			handed, err := takeSpool(dir)
			if err != nil {
				t.Errorf("%s: %v", in.name, err)
			}
			o.Handed = append(o.Handed, handed...)
			b, _ := os.ReadFile(filepath.Join(dir, "journal.log")) // often there is none
			o.Log += strings.ReplaceAll(troubles(b), c.Dir, "")
		}
		return o
	}
	// Some wait seconds for an answer that nobody gives.
	var all sync.WaitGroup
	gate := make(chan struct{}, 32)
	for _, in := range inputs {
		gate <- struct{}{}
		all.Go(func() {
			defer func() { <-gate }()
			large, small := run(in, true), run(in, false)
			want := cli.ExitOK
			if in.name == "a command" {
				want = 3 // its own
			}
			if large.Code != want {
				t.Errorf("%s %q: exit %d, want %d", in.name, in.large, large.Code, want)
			}
			if diff := cmp.Diff(large, small); diff != "" {
				t.Errorf("%s: %q (-) and %q (+) differ:\n%s", in.name, in.large, in.small, diff)
			}
		})
	}
	all.Wait()
}

// handed is a request without what differs from process to process.
type handed struct {
	Request   wire.Request
	Envelopes []events.Envelope
}

// takeSpool reads what waits in the spool of a directory.
func takeSpool(dir string) (all []handed, err error) {
	queue := spool.Open(filepath.Join(dir, "spool"))
	entries, err := queue.List()
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		_, body, err := queue.Read(entry)
		if err != nil {
			return nil, err
		}
		r, err := wire.DecodeRequest(body)
		if err != nil {
			return nil, err
		}
		h := handed{Request: r}
		place := map[string]string{"": ""}
		for i, b := range r.Events {
			e, err := events.Decode(b, 0)
			if err != nil {
				return nil, err
			}
			place[e.ID] = string(rune('a' + i))
			e.ID, e.Cause, e.At = place[e.ID], place[e.Cause], 0
			h.Envelopes = append(h.Envelopes, e)
		}
		h.Request.Events = nil
		all = append(all, h)
	}
	return all, nil
}

// troubles is what a log file says, without when and how long.
func troubles(log []byte) string {
	var kept []string
	for line := range strings.Lines(string(log)) {
		_, line, _ = strings.Cut(line, `"level"`)
		before, after, ok := strings.Cut(line, `,"ms":`)
		if ok {
			_, after, _ = strings.Cut(after, ",")
			line = before + after
		}
		kept = append(kept, strings.TrimRight(line, "}\n"))
	}
	return strings.Join(kept, "\n")
}

// captured gives the payloads that were captured from agents: those of the dialects'
// tests, and the recorded stream.
func captured(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", "..", "journal"), func(path string, d fs.DirEntry, err error) error {
		in := filepath.Base(filepath.Dir(path))
		if err != nil || in != "captured" && in != "statusline" || filepath.Ext(path) != ".json" || strings.HasSuffix(path, ".golden.json") {
			return err
		}
		b, err := os.ReadFile(path)
		all[filepath.Base(path)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 8<<20)
	for n := 1; lines.Scan(); n++ {
		all[fmt.Sprint("line ", n)] = lines.Text()
	}
	return all
}
