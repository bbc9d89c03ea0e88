package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"journal/events"
	"journal/journal/hooks"
)

// maxRow bounds one row. Real ones have up to 63 KB, with images some megabytes; a
// longer one is counted as broken.
const maxRow = 64 << 20

// Step is what one hook would have said.
type Step struct {
	Report hooks.Report
	Row    string // id of the row that it was read from, empty when it has none
	What   string // the hook's name: with Row it tells a step from the others
}

// Summary counts what was read.
type Summary struct {
	Rows        int
	Broken      int // rows that are no JSON, or too long
	Bytes       int64
	Compactions int
}

// Reader reads one transcript. It is not safe for concurrent use.
type Reader struct {
	in       *bufio.Reader
	dialect  *hooks.Dialect
	env      hooks.Env
	progress func(bytes int64)

	summary Summary
	session string
	lane    string
	root    string
	began   bool
	turn    string
	uses    map[string]content // tool calls without a result yet
	last    answer
	trigger string // of the compaction whose summary is due
	due     bool
	pending []Step
}

// answer is the newest text of the model that no turn's end has told.
type answer struct {
	row, text, model string
	at               time.Time
	tokens           int64
}

// NewReader reads the transcript of a session of Claude Code. getenv gives what a
// hook's environment would be; progress is told of bytes, and may be nil.
func NewReader(r io.Reader, getenv func(string) string, progress func(bytes int64)) (*Reader, error) {
	d, err := hooks.Named("claude")
	if err != nil {
		return nil, err
	}
	return &Reader{
		in: bufio.NewReaderSize(r, 256<<10), dialect: d, env: hooks.Env{Getenv: getenv}, progress: progress, uses: map[string]content{},
	}, nil
}

// Summary counts what was read so far.
func (r *Reader) Summary() Summary { return r.summary }

// Session is the session that the rows name, empty before the first of them.
func (r *Reader) Session() string { return r.session }

// Next gives the next step, io.EOF behind the last.
func (r *Reader) Next() (Step, error) {
	for len(r.pending) == 0 {
		line, err := r.line()
		if len(line) > 0 {
			r.read(line)
		}
		if errors.Is(err, io.EOF) {
			r.endTurn()
			if len(r.pending) == 0 {
				return Step{}, io.EOF
			}
			break
		}
		if err != nil {
			return Step{}, fmt.Errorf("read the transcript: %w", err)
		}
	}
	s := r.pending[0]
	r.pending = r.pending[1:]
	return s, nil
}

// line gives the next row. One that is too long is counted and passed over.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	skipped := false
	for {
		part, err := r.in.ReadSlice('\n')
		r.summary.Bytes += int64(len(part))
		if r.progress != nil {
			r.progress(int64(len(part)))
		}
		if len(line)+len(part) > maxRow {
			skipped, line = true, nil
		} else if !skipped {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if skipped {
			r.summary.Rows++
			r.summary.Broken++
		}
		return bytes.TrimSpace(line), err
	}
}

// spoken are marks of rows that may say something. Most rows of newer clients are
// none of these, and decoding them would be most of the work.
var spoken = [][]byte{[]byte(`"message"`), []byte(`"compact_boundary"`), []byte(`"queued_command"`)}

func (r *Reader) read(line []byte) {
	r.summary.Rows++
	wanted := false
	for _, mark := range spoken {
		wanted = wanted || bytes.Contains(line, mark)
	}
	if !wanted {
		if !json.Valid(line) {
			r.summary.Broken++
		}
		return
	}
	var one row
	if json.Unmarshal(line, &one) != nil {
		r.summary.Broken++
		return
	}
	if one.Session == "" && r.session == "" {
		return // a list of summaries of other sessions, as old clients keep
	}
	r.begin(one)
	switch {
	case one.Subtype == "compact_boundary":
		r.boundary(one)
	case one.Type == "user":
		r.user(one)
	case one.Type == "assistant":
		r.assistant(one)
	case one.Attachment.Type == "queued_command":
		var text string
		if json.Unmarshal(one.Attachment.Prompt, &text) == nil && byPerson(text) {
			r.prompt(one, text)
		}
	}
}

// begin takes from the first row whose transcript it is.
func (r *Reader) begin(one row) {
	if r.began {
		return
	}
	r.began = true
	r.session, r.root = one.Session, one.Cwd
	if one.IsSidechain {
		r.lane = cmp.Or(one.Agent, "sidechain")
		return
	}
	r.say(one, "SessionStart", map[string]any{"source": "startup"})
}

// say makes the report of a hook.
func (r *Reader) say(one row, event string, members map[string]any) {
	payload := map[string]any{"session_id": r.session, "hook_event_name": event, "cwd": cmp.Or(one.Cwd, r.root)}
	if turn := cmp.Or(one.Prompt, r.turn); turn != "" && event != "SessionStart" {
		payload["prompt_id"] = turn
	}
	if lane := r.laneOf(one); lane != "" {
		payload["agent_id"] = lane
	}
	for name, v := range members {
		payload[name] = v
	}
	b, err := json.Marshal(payload)
	if err != nil {
		r.summary.Broken++
		return
	}
	env := r.env
	env.Now = one.At
	env.Getenv = func(name string) string {
		switch name {
		case "CLAUDE_PROJECT_DIR":
			return r.root
		case "CLAUDE_PID", "CLAUDE_CODE_ENTRYPOINT":
			return "" // of this process, not of that one
		}
		return r.env.Getenv(name)
	}
	r.pending = append(r.pending, Step{Report: r.dialect.Read(bytes.NewReader(b), env), Row: one.UUID, What: event})
}

// laneOf is the subagent that a row belongs to. Old clients keep the rows of
// subagents among those of the main thread, without a name.
func (r *Reader) laneOf(one row) string {
	if r.lane != "" {
		return r.lane
	}
	if one.IsSidechain {
		return cmp.Or(one.Agent, "sidechain")
	}
	return ""
}

func (r *Reader) boundary(one row) {
	r.endTurn()
	r.summary.Compactions++
	r.trigger, r.due = one.Compact.Trigger, true
	r.say(one, "SessionStart", map[string]any{"source": "compact"})
}

func (r *Reader) user(one row) {
	parts := one.parts()
	if one.IsSummary {
		if !r.due { // old clients wrote no boundary
			r.boundary(one)
		}
		r.due = false
		r.say(one, "PostCompact", map[string]any{"trigger": r.trigger, "compact_summary": textOf(parts)})
		return
	}
	results := false
	for _, p := range parts {
		if p.Type == "tool_result" {
			results = true
			r.result(one, p)
		}
	}
	if text := textOf(parts); !results && !one.IsMeta && byPerson(text) {
		if one.IsSidechain {
			return // the task that the model gave its subagent
		}
		r.prompt(one, text)
	}
}

func (r *Reader) prompt(one row, text string) {
	if one.Prompt != r.turn || one.Prompt == "" {
		r.endTurn()
		r.turn = one.Prompt
	}
	r.say(one, "UserPromptSubmit", map[string]any{"prompt": text})
}

// result tells a tool call with what came of it.
func (r *Reader) result(one row, p content) {
	call, known := r.uses[p.Use]
	if !known {
		return
	}
	delete(r.uses, p.Use)
	members := map[string]any{"tool_name": call.Name, "tool_use_id": p.Use, "tool_input": json.RawMessage(orEmpty(call.Input))}
	if p.IsError {
		members["error"] = p.said()
		r.say(one, "PostToolUseFailure", members)
		return
	}
	members["tool_response"] = p.said()
	if bytes.HasPrefix(bytes.TrimSpace(one.Result), []byte("{")) {
		members["tool_response"] = one.Result
	}
	r.say(one, "PostToolUse", members)
}

func orEmpty(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("{}")
	}
	return b
}

func (r *Reader) assistant(one row) {
	parts := one.parts()
	for _, p := range parts {
		if p.Type == "tool_use" && p.ID != "" {
			r.uses[p.ID] = p
		}
	}
	if r.laneOf(one) != r.lane {
		return // an old client's subagent: its words end nobody's turn
	}
	if text := textOf(parts); strings.TrimSpace(text) != "" {
		r.last.row, r.last.text, r.last.at = one.UUID, text, one.At
	}
	// The usage stands in every row of an answer; the newest counts once, at the
	// end of the turn.
	if u := one.Message.Usage; u != nil && u.Input+u.CacheCreation+u.CacheRead > 0 {
		r.last.tokens, r.last.model = u.Input+u.CacheCreation+u.CacheRead, one.Message.Model
		r.last.at = one.At
	}
	if one.Message.Stop == "end_turn" {
		r.endTurn()
	}
}

// endTurn tells the end of the turn whose answer was read.
func (r *Reader) endTurn() {
	a := r.last
	r.last = answer{}
	if a.text == "" {
		return
	}
	one := row{UUID: a.row, At: a.at}
	event := "Stop"
	if r.lane != "" {
		event = "SubagentStop"
	}
	r.say(one, event, map[string]any{"last_assistant_message": a.text, "agent_type": "subagent"})
	if a.tokens > 0 && r.lane == "" {
		s := &r.pending[len(r.pending)-1]
		s.Report.Hook.Usage = &events.Usage{Tokens: a.tokens}
		s.Report.Hook.Model = a.model
	}
}
