package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// Row 12 imports importFiles transcripts of importCalls tool calls: 120 MB with 350 events a megabyte. Transcripts with cut
	// outputs have as many, whole ones 120 a megabyte.
	importFiles = 40
	importCalls = 500
	importText  = 4 << 10 // bytes of each call's result for the model
	importRate  = 35      // the bar in MB/s, for two cores
)

// imports is row 12: transcripts are imported into an empty journal. The best of three imports counts, because other programs may
// use the two cores that import and owner need.
func (b *bench) imports() []line {
	dir := b.file("transcripts")
	bytes := float64(b.transcripts(dir)) / 1e6
	rate := func(took time.Duration) float64 { return bytes / took.Seconds() }
	var read, whole, cpu time.Duration
	kept := 0
	for range 3 {
		s := b.newStore()
		wall, _ := s.runImport(b, "--dry-run", dir)
		read = least(read, wall)
		wall, used := s.runImport(b, dir)
		owner := threadTime(s.status(b.ctx).Owner.PID)
		if owner > 0 {
			cpu = least(cpu, used+owner)
		}
		whole = least(whole, wall)
		kept = b.kept(s)
		s.stop(b.ctx)
	}
	lines := []line{
		{What: fmt.Sprintf("read transcripts, %.0f MB", bytes), Value: fmt.Sprintf("%.1f MB/s", rate(read))},
		line{
			What: "import them", Value: fmt.Sprintf("%.1f MB/s", rate(whole)),
			Baseline: fmt.Sprintf("read %.1f", rate(read)), Beyond: fmt.Sprintf("%.0f %%", 100*rate(whole)/rate(read)),
		}.reached(fmt.Sprintf(">= %d MB/s", importRate), rate(whole) >= importRate),
	}
	if cpu > 0 {
		lines = append(lines, line{What: "import them, by the CPU of import and owner", Value: fmt.Sprintf("%.1f MB/s", rate(cpu))})
	}
	calls := importFiles * importCalls
	return append(lines, line{What: "tool calls kept", Value: fmt.Sprintf("%d of %d", kept, calls)}.reached("all", kept == calls))
}

// least returns the shorter of two times; a first time of 0 is not known yet.
func least(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// runImport runs an import, and returns its time and its CPU time.
func (s *store) runImport(b *bench, args ...string) (wall, cpu time.Duration) {
	c := exec.CommandContext(b.ctx, s.bin, append([]string{"import"}, args...)...)
	c.Env = s.env
	began := time.Now()
	output(c)
	return time.Since(began), c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// transcripts writes transcripts of recorded tool calls into dir, and returns their size in bytes.
func (b *bench) transcripts(dir string) (size int64) {
	check(os.MkdirAll(dir, 0o700))
	result := source(7, importText)
	for session := range importFiles {
		path := filepath.Join(dir, sessionName(session)+".jsonl")
		f := must(os.Create(path))
		w := bufio.NewWriter(f)
		rows := transcriptRows{to: w, session: sessionName(session), root: b.root, began: time.Date(2026, 1, 1, session, 0, 0, 0, time.UTC)}
		for n := range importCalls {
			call := b.hooks.toolCall(rows.session, n)
			turn := fmt.Sprintf("%s-%d", rows.session, n/10)
			if n%10 == 0 {
				rows.row("user", payload{"promptId": turn, "message": payload{"role": "user", "content": fmt.Sprintf("prompt %d: go on with the limiter", n/10)}})
			}
			rows.row("assistant", payload{"message": payload{
				"id": fmt.Sprint("m", n), "role": "assistant", "usage": payload{"input_tokens": 1000 + n},
				"content": []any{payload{"type": "tool_use", "id": call["tool_use_id"], "name": call["tool_name"], "input": call["tool_input"]}},
			}})
			rows.row("user", payload{"promptId": turn, "toolUseResult": call["tool_response"], "message": payload{"role": "user", "content": []any{
				payload{"type": "tool_result", "tool_use_id": call["tool_use_id"], "content": result},
			}}})
		}
		check(w.Flush())
		check(f.Close())
		size += must(os.Stat(path)).Size()
	}
	return size
}

// transcriptRows writes the rows of one transcript.
type transcriptRows struct {
	to            io.Writer
	session, root string
	began         time.Time // the rows' times are 1, 2, 3 … seconds later
	n             int       // number of rows so far
}

// row writes a row of a type with further members.
func (t *transcriptRows) row(kind string, members payload) {
	t.n++
	check(json.NewEncoder(t.to).Encode(payload{
		"type": kind, "uuid": fmt.Sprintf("%.8s-%08d", t.session, t.n), "sessionId": t.session, "cwd": t.root,
		"timestamp": t.began.Add(time.Duration(t.n) * time.Second).Format(time.RFC3339Nano),
	}.with(members)))
}
