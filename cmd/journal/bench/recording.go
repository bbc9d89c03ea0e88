package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/hooks"
)

// recording is the hooks of a session of the real client, in their order.
type recording []map[string]any

// load reads a recording, one payload per line, as if it had been made in the
// project at root.
func load(path, root string) (recording, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	b = bytes.ReplaceAll(b, []byte("/home/dev/project"), []byte(filepath.ToSlash(root)))
	var r recording
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var hook map[string]any
		if err := json.Unmarshal(lines.Bytes(), &hook); err != nil {
			return nil, fmt.Errorf("recording: %w", err)
		}
		r = append(r, hook)
	}
	return r, lines.Err()
}

// named gives the hooks of one kind.
func (r recording) named(event string) recording {
	var some recording
	for _, h := range r {
		if h["hook_event_name"] == event {
			some = append(some, h)
		}
	}
	return some
}

// with gives a copy of a hook with other values of some fields.
func with(hook map[string]any, fields map[string]any) map[string]any {
	h := maps.Clone(hook)
	maps.Copy(h, fields)
	return h
}

// toolCall gives the n-th tool call of a session: a recorded one, under an id of
// its own, because a second report of the same call would be an echo.
func (r recording) toolCall(session string, n int) map[string]any {
	tools := r.named("PostToolUse")
	return with(tools[n%len(tools)], map[string]any{"session_id": session, "tool_use_id": toolUse(session, n)})
}

// write gives the n-th tool call of a session as one that wrote a file, with a
// payload of about so many bytes: the client sends the content of a new file
// twice, as input and in the response.
func (r recording) write(session string, n, size int) map[string]any {
	content := source(uint64(n), size/2)
	path := filepath.Join(fmt.Sprint(r[0]["cwd"]), "table.go")
	return with(r.toolCall(session, n), map[string]any{
		"tool_name":     "Write",
		"tool_input":    map[string]any{"file_path": path, "content": content},
		"tool_response": map[string]any{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}, "originalFile": nil},
	})
}

func toolUse(session string, n int) string { return fmt.Sprintf("toolu_%.8s%016x", session, n) }

// source is text that looks like a program, the same for the same seed: the
// parser, the redaction and the cuts see lines, quotes and identifiers.
func source(seed uint64, size int) string {
	words := strings.Fields("limiter bucket token refill allow window clock burst count rate test error return value state")
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < size {
		w := words[rnd.IntN(len(words))]
		fmt.Fprintf(&b, "\tif %s%d := %q; len(%s%d) > %d {\n\t\treturn %s\n\t}\n",
			w, rnd.IntN(1000), words[rnd.IntN(len(words))], w, rnd.IntN(1000), rnd.IntN(1e6), words[rnd.IntN(len(words))])
	}
	return b.String()
}

// script is what sessions consist of, as events: one that begins it, some that
// repeat, one that ends it where a compaction begins.
type script struct {
	begin, end events.Event
	middle     []events.Event
	again      []events.Event // middle without what is decided once in a session
}

// script turns the recording into events, without its compactions.
func (r recording) script() (script, error) {
	var s script
	env := hooks.Env{Getenv: func(string) string { return "" }, Now: time.Now()}
	for _, h := range r {
		b, err := json.Marshal(h)
		if err != nil {
			return s, err
		}
		report := claude.Dialect.Read(bytes.NewReader(b), env)
		for _, e := range events.Recognise(report.Hook) {
			switch report.Hook.Kind {
			case events.SessionStart:
				s.begin = e
			case events.CompactIntent:
				s.end = e
			case events.ContextRestart, events.CompactEnd, events.SessionEnd:
			default:
				s.middle = append(s.middle, e)
				if _, decided := e.(events.DecisionRecorded); !decided {
					s.again = append(s.again, e)
				}
			}
		}
	}
	if s.begin == nil || s.end == nil || len(s.again) == 0 {
		return s, fmt.Errorf("the recording has %d events between its start and a compaction", len(s.middle))
	}
	return s, nil
}

// files are how many different files a session touches, as names of one file of
// the recording.
const files = 40

// at gives the n-th of a session's events.
func (s script) at(n, of int) events.Event {
	switch n {
	case 0:
		return s.begin
	case of - 1:
		return s.end
	}
	e := s.again[n%len(s.again)]
	if n < len(s.middle) {
		e = s.middle[n]
	}
	name := fmt.Sprintf("limiter%d", n/len(s.middle)%files)
	return events.MapText(e, func(t string) string { return strings.ReplaceAll(t, "limiter", name) })
}
