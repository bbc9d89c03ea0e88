package claude

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
	"journal/journal/wire/frame"
)

// A transcript is read as steps for an import, as receipts of its compactions, and to find a fork's parent. Steps have
// the order of the rows in the file. In all examined transcripts a row follows its parent, and rows of abandoned
// branches did happen; times are not monotonic and order nothing. A row with a known uuid adds nothing new.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.claude/projects", Moved: transcript.Moved{From: "~/.claude", Var: "CLAUDE_CONFIG_DIR"},
	Names:   []string{"*" + transcriptExt},
	History: historyName, Sessions: history, Kept: kept,
	Around: around,
	Skim:   skim,
	Limits: rowLimits,
	Begin: func() func(string) transcript.Parser {
		var tasks Tasks
		return func(path string) transcript.Parser { return newReader(path, &tasks) }
	},
	Contexts: contexts,
	Watch:    watch, Task: task,
	Parent:   parent,
	Requests: requests,
})

// rowLimits keeps of a long row what the dialect keeps of a hook: texts of a person or the model whole, file contents
// not at all.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"message.content", "message.content[].text", "message.content[].input.todos[].content",
		"message.content[].input.prompt", "message.content[].input.plan", "attachment.prompt", "content",
		"toolUseResult.plan", "toolUseResult.prompt", "toolUseResult.answers.",
		// Output has at most 30,000 characters, and is searched before it is cut.
		"toolUseResult.stdout", "toolUseResult.stderr", "message.content[].content",
	),
	Drop: payload.Paths(
		"toolUseResult.originalFile", "toolUseResult.file.content", "toolUseResult.file.base64",
		"toolUseResult.structuredPatch", "message.content[].source", "snapshot",
	),
}

// reader reads one transcript. While watching, it reports only what no hook reports; the caller handles duplicates. It
// is not safe for concurrent use.
type reader struct {
	transcript.Reported
	env agents.Env

	path    string
	file    string // the session that it is named after, if it still has the client's name
	session string
	entry   string // what started the client, as it says
	root    string // where the client was started: cwd of the first row
	began   bool
	start   row // first row of a session whose start was not reported yet
	source  string
	seen    map[string]bool // uuids
	threads map[string]*thread
	order   []*thread
	chains  map[string]string // lane by uuid, for subagents without a name
	uses    transcript.Calls[call]
	queue   queue
	branches
	saying  string // id of the message with the newest words, while nothing else followed
	typed   string // the person's own command whose output is due
	title   row    // the newest row with a title
	tasks   *Tasks
	payload []byte // reused
}

func newReader(path string, tasks *Tasks) *reader {
	in := &reader{
		path: path, file: sessionOf(path), source: "startup", Reported: transcript.Reported{At: time.Unix(0, 0)}, seen: map[string]bool{}, threads: map[string]*thread{},
		chains: map[string]string{}, tasks: cmp.Or(tasks, &Tasks{}), queue: queue{removed: map[string]int{}, attached: map[string]int{}},
	}
	if isHistory(path) {
		in.source = historySource
	}
	in.Hook = func(kind events.HookKind) events.Hook { return in.hook(kind, in.At) }
	// Only this is known of the environment at that time.
	in.env.Getenv = func(name string) string {
		switch name {
		case Dialect.Vars.Project:
			return in.root
		case frame.ClaudeEntry:
			return in.entry
		}
		return ""
	}
	return in
}

// Session returns the session that the file is named after, if a row has it; else that of the first row. It is empty
// before the first.
func (r *reader) Session() string { return r.session }

// Row handles a row.
func (r *reader) Row(b []byte) error {
	if !transcript.Closed(b) {
		return transcript.ErrJSON
	}
	row := rowFields.read(b)
	r.dispatch(row)
	return nil
}

// dispatch chooses the handler of a parsed row.
func (r *reader) dispatch(row row) {
	if !row.at.IsZero() {
		r.At = row.at
	}
	// A session that begins with an approved plan may begin with the last row of the session before.
	if row.session != "" && (r.session == "" || row.session == r.file) {
		r.session = row.session
	}
	if row.uuid != "" && !r.Watching {
		if r.seen[row.uuid] {
			return // a rewritten row was already reported
		}
		r.seen[row.uuid] = true
		r.Whole(row.uuid)
	}
	row.fresh = r.hang(row)
	// Rows of other kinds are the client's own: lists of summaries, snapshots of files, modes.
	switch row.kind {
	case "queue-operation":
		if r.session != "" {
			r.operation(row)
		}
	case "custom-title", "ai-title":
		r.titled(row)
	case "user", "assistant", "system", "attachment":
		if r.session != "" {
			r.chain(row)
		}
	}
}

// titled reports the client's own title of the session, once the session's start is reported. The rows of titles have no id
// and no time, and the client repeats them.
func (r *reader) titled(row row) {
	title := redact.Text(row.title)
	if title == "" || row.kind == r.title.kind && title == r.title.title || row.kind == "ai-title" && r.title.kind == "custom-title" {
		return
	}
	r.title.kind, r.title.title = row.kind, title
	if r.began && (r.Watching || r.start.kind == "") {
		r.addTitle()
	}
}

// addTitle adds the step of the newest title, if there is one.
func (r *reader) addTitle() {
	if r.title.title == "" {
		return
	}
	h := r.hook(events.Title, r.At)
	h.Text = r.title.title
	if r.title.kind == "custom-title" {
		h.Reason = "person"
	}
	r.Add(h, "", r.title.kind+" "+h.Text)
}

// chain handles a row of the conversation.
func (r *reader) chain(row row) {
	if r.root == "" {
		r.root = transcript.Unquote(row.cwd)
	}
	t := r.thread(row)
	if !r.began {
		r.began, r.start = true, row.head()
		if len(row.forked) > 0 {
			r.source = "fork"
		}
		if r.Watching {
			r.addTitle()
		}
	}
	switch {
	case row.subtype == "compact_boundary":
		r.boundary(t, row)
	case row.subtype == "microcompact_boundary":
		r.cleared(t, row)
	case row.subtype == "stop_hook_summary", row.subtype == "turn_duration":
		r.endTurn(t)
	case row.kind == "user" && row.summary:
		r.summarised(t, row)
	case row.kind == "user":
		r.user(t, row)
	case row.kind == "assistant":
		r.assistant(t, row)
	case row.kind == "attachment":
		r.attachment(t, row)
	}
}

// hook returns what a row reports by itself, without a payload.
func (r *reader) hook(kind events.HookKind, at time.Time) events.Hook {
	return events.Hook{Agent: Name, Native: "transcript", Kind: kind, Session: r.session, At: at.UnixNano(), Root: r.root}
}

// when returns the time of a row, or of the newest one that has a time.
func (r *reader) when(row row) time.Time {
	if row.at.IsZero() {
		return r.At
	}
	return row.at
}

// End reports what only the end of the file shows.
func (r *reader) End() {
	for _, t := range r.order {
		r.endTurn(t)
		if t.lane != "" {
			r.endSubagent(t)
		}
	}
	r.order, r.threads = nil, map[string]*thread{}
}

// skim reads the first rows of a file.
func skim(path string, r io.Reader) (transcript.Head, error) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	below := slices.Index(parts, subagentsFolder)
	if below > 0 && parts[len(parts)-1] == workflowNotes {
		return transcript.Head{}, transcript.ErrOwn
	}
	in := transcript.NewRows(r, rowLimits, nil)
	if isHistory(path) {
		var row typedRow
		if b, err := in.Next(); err != nil || json.Unmarshal(b, &row) != nil || row.Time <= 0 {
			return transcript.Head{}, transcript.ErrNoSession
		}
		return transcript.Head{}, nil
	}
	for range 64 {
		b, err := in.Next()
		if err != nil {
			break
		}
		if !transcript.Closed(b) {
			continue
		}
		if transcript.Derived(b) {
			break
		}
		row := rowFields.read(b)
		if row.session == "" || row.at.IsZero() {
			continue
		}
		head := transcript.Head{Session: row.session, Began: row.at, Fork: len(row.forked) > 0}
		if name := sessionOf(path); len(name) == sessionName {
			head.Session = name // its first row may be the session's before
		}
		if below > 0 {
			head.Session = parts[below-1]
		}
		return head, nil
	}
	return transcript.Head{}, transcript.ErrNoSession
}

const (
	// subagentsFolder, below a folder with the session's name, holds the transcripts of subagents; those of a workflow are
	// in a folder of their own below it, beside its notes.
	subagentsFolder = "subagents"
	workflowNotes   = "journal.jsonl"
	sessionName     = len("00000000-0000-4000-8000-000000000000")
)

// around implements transcript.Format.Around. A session that went on in another worktree has a transcript in that project's
// folder too.
func around(path string) []string {
	if projects := filepath.Dir(filepath.Dir(path)); filepath.Base(projects) == "projects" {
		return []string{projects}
	}
	return []string{path, strings.TrimSuffix(path, transcriptExt)}
}

// member is a member of a hook's payload, with its JSON value. Members without a value are omitted.
type member struct {
	name  string
	value []byte
}

// begin reports the start of the session before its first other step.
func (r *reader) begin(t *thread) {
	if r.start.kind == "" || t.lane != "" || r.Watching {
		return
	}
	first := r.start
	r.start, r.entry = row{}, transcript.Unquote(first.entry)
	what := ""
	if r.source == "resume" {
		what = "resume"
	}
	about := []member{{"source", quote(r.source)}}
	if filepath.IsAbs(r.path) && !isHistory(r.path) {
		about = append(about, member{"transcript_path", quote(r.path)})
	}
	r.addStep(&thread{}, first, "SessionStart", what, about...)
	r.addTitle()
}

// addHookStep adds the step of a hook, from the payload that the client would have given it. detail distinguishes steps of the
// same hook in one row. It returns the step; nil if hooks reported it, or the payload is broken.
func (r *reader) addHookStep(t *thread, row row, hook, detail string, about ...member) *transcript.Step {
	if r.Watching && !row.within && hook != "PostToolUseFailure" {
		return nil // a failed call may be a refused one
	}
	r.begin(t)
	return r.addStep(t, row, hook, detail, about...)
}

func (r *reader) addStep(t *thread, row row, hook, detail string, about ...member) *transcript.Step {
	b := append(r.payload[:0], `{"hook_event_name":"`...)
	b = append(append(b, hook...), `","session_id":`...)
	b = append(b, quote(r.session)...)
	put := func(m member) {
		if len(m.value) > 0 {
			b = append(append(append(append(b, `,"`...), m.name...), `":`...), m.value...)
		}
	}
	cwd := row.cwd
	if len(cwd) == 0 {
		cwd = quote(r.root)
	}
	put(member{"cwd", cwd})
	if len(row.prompt) > 0 && row.prompt[0] == '"' {
		put(member{"prompt_id", row.prompt})
	} else if hook != "SessionStart" || detail == "compact" {
		put(member{"prompt_id", t.turn})
	}
	if t.lane != "" {
		put(member{"agent_id", quote(t.lane)})
	}
	for _, m := range about {
		put(m)
	}
	b = append(b, '}')
	r.payload = b

	env := r.env
	env.Now = r.when(row)
	what := hook
	if detail != "" {
		what += " " + detail
	}
	// Old clients call no hook for a prompt typed while a turn runs.
	s := r.Tell(Dialect, b, env, row.uuid, what)
	if s != nil {
		s.Sure = hook == "PostToolUse" || hook == "UserPromptSubmit" && !s.Report.Hook.Machine && !row.within
	}
	return s
}
