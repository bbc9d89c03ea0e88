package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/agents/transcript/jsonl"
	"journal/journal/redact"
)

// A chat, below ~/.gemini/tmp/PROJECT/chats, has rows of messages, and rows that set all
// messages anew.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.gemini/tmp", Ext: ".jsonl",
	Skim: skim,
	Readers: func(progress func(int64)) func(io.Reader, string) transcript.Reader {
		return func(in io.Reader, _ string) transcript.Reader { return newReader(in, progress) }
	},
	Row: func(in io.Reader) ([]byte, error) { return jsonl.NewRows(in, rowLimits, nil).Next() },
	Watch: func() transcript.Watcher {
		return &watcher{reader: reader{seen: map[string]bool{}, at: time.Unix(0, 0), watching: true}}
	},
})

// rowLimits keep of a long row what the dialect keeps of a hook.
var rowLimits = payload.Limits{
	Whole: func(path string) bool {
		switch path {
		case "content", "content[].text", "$set.messages[].content[].text":
			return true
		// What a command printed is searched before it is cut.
		case "toolCalls[].result[].functionResponse.response.output":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "thoughts", "toolCalls[].resultDisplay.fileDiff", "toolCalls[].resultDisplay.originalContent", "toolCalls[].resultDisplay.newContent":
			return true
		}
		return false
	},
}

// reader reads one chat. It is not safe for concurrent use.
type reader struct {
	rows     *jsonl.Rows
	watching bool // only what no hook tells is asked for

	summary transcript.Summary
	session string
	start   row // of the session, as long as it was not told
	root    string
	at      time.Time
	before  string          // id of the newest message
	torn    int             // broken rows since
	seen    map[string]bool // what was told, by the ids of messages, calls and summaries
	said    string          // the model's newest words of the turn, and their message
	saying  string
	tokens  int64 // of the newest sample that was told
	words   transcript.Words
	pending []transcript.Step
}

func newReader(r io.Reader, progress func(int64)) *reader {
	in := &reader{seen: map[string]bool{}, at: time.Unix(0, 0)}
	in.rows = jsonl.NewRows(r, rowLimits, func(n int64) {
		in.summary.Bytes += n
		if progress != nil {
			progress(n)
		}
	})
	return in
}

func (r *reader) Summary() transcript.Summary { return r.summary }

func (r *reader) Session() string { return r.session }

func (r *reader) Next() (transcript.Step, error) {
	for len(r.pending) == 0 {
		b, err := r.rows.Next()
		if err == io.EOF {
			if r.endTurn(); len(r.pending) == 0 {
				return transcript.Step{}, io.EOF
			}
			break
		}
		if err != nil {
			return transcript.Step{}, fmt.Errorf("read the transcript: %w", err)
		}
		if len(b) == 0 {
			continue
		}
		r.summary.Rows++
		var one row
		if err := json.Unmarshal(b, &one); err != nil {
			r.broken()
			continue
		}
		r.take(one)
	}
	s := r.pending[0]
	r.pending = r.pending[1:]
	return s, nil
}

// broken keeps that a row was there.
func (r *reader) broken() {
	r.summary.Broken++
	r.torn++
	if r.session == "" {
		return // no transcript, as far as one can see
	}
	h := r.hook(events.Other)
	h.Broken = "not a JSON object"
	r.pending = append(r.pending, transcript.Step{Report: agents.Report{Hook: h}, Row: r.before, What: fmt.Sprint("broken ", r.torn)})
}

// hook is what a row tells by itself, without a payload.
func (r *reader) hook(kind events.HookKind) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, At: r.at.UnixNano(), Root: r.root, Cwd: r.root}
}

// take takes a row that is whole.
func (r *reader) take(one row) {
	if at := one.time(); !at.IsZero() {
		r.at = at
	}
	switch {
	case one.SessionID != "" && one.ID == "":
		r.began(one)
	case one.Set != nil:
		for _, m := range one.Set.Messages {
			r.set(m)
		}
	case one.ID != "":
		r.begin()
		r.before, r.torn = one.ID, 0
		r.message(one)
	}
}

// began takes the row that each process of the client begins with. The newest one
// writes the first row of the file anew, so that the first start is the earliest of those
// before the first message.
func (r *reader) began(one row) {
	switch {
	case r.session == "":
		r.session, r.start = one.SessionID, one
	case r.start.SessionID != "" && one.StartTime.Before(r.start.StartTime):
		r.start = one
	case r.start.SessionID == "":
		r.endTurn()
		r.started(one, "resume")
	}
}

// begin tells the beginning of the session before anything else is told of it.
func (r *reader) begin() {
	if one := r.start; one.SessionID != "" {
		r.start = row{}
		at := r.at
		r.at = one.StartTime
		r.started(one, "startup")
		r.at = at
	}
}

func (r *reader) started(one row, source string) {
	r.tell(one.SessionID+" "+one.StartTime.UTC().Format(time.RFC3339Nano), "SessionStart", member{"source", source})
}

// set takes a message of a row that sets all of them. Only of a summary does it tell
// something new: the others were messages of their own.
func (r *reader) set(m row) {
	text := strings.TrimSpace(m.Content.Text)
	switch {
	case m.Type != "user":
	case strings.HasPrefix(text, sessionContext):
		r.root = rootOf(text, r.root)
	case strings.HasPrefix(text, snapshot) && !r.seen["summary "+m.ID]:
		r.seen["summary "+m.ID] = true
		r.summary.Compactions++
		h := r.hook(events.CompactEnd)
		if at := m.time(); !at.IsZero() { // the row itself has none
			h.At = at.UnixNano()
		}
		text, _, _ = strings.Cut(strings.TrimPrefix(text, snapshot), "</state_snapshot>")
		h.Text = redact.Text(strings.TrimSpace(text))
		r.pending = append(r.pending, transcript.Step{Report: agents.Report{Hook: h}, Row: m.ID, What: "compressed"})
	}
}

const (
	sessionContext = "<session_context>"
	snapshot       = "<state_snapshot>"
)

// rootOf reads where the client works out of its first message.
func rootOf(text, known string) string {
	_, rest, ok := strings.Cut(text, "- **Workspace Directories:**\n  - ")
	if !ok {
		return known
	}
	root, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(root)
}

// message takes a message. One of the model is written again when its calls have ended.
func (r *reader) message(one row) {
	text := one.Content.Text
	switch {
	case one.Type == "user" && one.Content.Response, strings.HasPrefix(strings.TrimSpace(text), sessionContext), strings.HasPrefix(strings.TrimSpace(text), snapshot):
	case one.Type == "user" && !r.seen[one.ID] && Typed(text) != "":
		r.seen[one.ID] = true
		r.endTurn()
		r.words = transcript.Words{Row: one.ID}
		r.tell(one.ID, "BeforeAgent", member{"prompt", text})
	case one.Type == "gemini":
		r.sample(one)
		for _, c := range one.ToolCalls {
			r.call(c)
		}
		if text != "" {
			r.said, r.saying = text, one.ID
			r.words = transcript.Words{Row: one.ID, Text: strings.TrimSpace(text)}
		}
	}
}

// call takes a call of a tool that has ended.
func (r *reader) call(c endedCall) {
	if r.seen[c.ID] || c.Status != "success" && c.Status != "error" {
		return // at work, or refused: no hook tells how
	}
	r.seen[c.ID] = true
	response := map[string]any{"llmContent": c.said(), "returnDisplay": c.Display}
	if c.Status == "error" {
		response["error"] = map[string]any{"message": c.said()}
	}
	r.tell(c.ID, "AfterTool", member{"tool_name", c.Name}, member{"tool_input", c.Args}, member{"tool_response", response})
}

// endTurn tells the model's last words of a turn.
func (r *reader) endTurn() {
	if r.said == "" {
		return
	}
	r.tell(r.saying, "AfterAgent", member{"prompt_response", r.said})
	r.said, r.saying = "", ""
}

// window is that of the client's models (see Dialect).
const window = 1 << 20

// sample tells how full the context was, when that changed by five points.
func (r *reader) sample(one row) {
	n := one.Tokens.Input
	if n <= 0 || max(n-r.tokens, r.tokens-n) < window/20 {
		return
	}
	r.tokens = n
	h := r.hook(events.UsageSample)
	h.Model, h.Usage = redact.Text(one.Model), &events.Usage{Tokens: n}
	r.pending = append(r.pending, transcript.Step{Report: agents.Report{Hook: h}, Row: one.ID, What: "usage"})
}

// member is a member of a hook's payload.
type member struct {
	name  string
	value any
}

// tell makes the step of a hook from the payload that the client would have given it.
func (r *reader) tell(id, hook string, about ...member) {
	if r.watching {
		return // a hook told it
	}
	doc := map[string]any{"hook_event_name": hook, "session_id": r.session, "cwd": r.root}
	for _, m := range about {
		doc[m.name] = m.value
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return // what came out of JSON goes into it
	}
	env := agents.Env{Now: r.at, Past: true, Getenv: func(string) string { return r.root }}
	s := transcript.Step{Report: Dialect.Read(bytes.NewReader(b), env), Row: id, What: hook, Sure: hook == "AfterTool" || hook == "BeforeAgent"}
	s.Report.Owed, s.Report.Wait = "", 0
	r.pending = append(r.pending, s)
}

var errNoSession = errors.New("no session")

// skim reads the first row of a file.
func skim(in io.Reader) (transcript.Head, error) {
	b, err := jsonl.NewRows(in, rowLimits, nil).Next()
	var one row
	if err != nil || json.Unmarshal(b, &one) != nil || one.SessionID == "" || one.ProjectHash == "" || one.StartTime.IsZero() {
		return transcript.Head{}, errNoSession
	}
	return transcript.Head{Session: one.SessionID, Began: one.StartTime}, nil
}
