package claude

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
	"journal/journal/wire/frame"
)

// Steps have the order of the rows in the file. In all examined transcripts a row follows its parent, and rows of abandoned branches
// report real events. Times are not monotonic, so they order nothing. The client writes some rows twice, with the same uuid.
var _ = transcript.Declare(transcript.Format{
	Agent: Name, Folder: "~/.claude/projects", Moved: transcript.Moved{From: "~/.claude", Var: "CLAUDE_CONFIG_DIR"},
	Names:   []string{"*" + transcriptExt},
	History: historyName, Sessions: history, Retention: retention,
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

// rowLimits keeps the same parts of a long row as the dialect keeps of a hook: texts of a person or the model whole, and no contents of
// files.
var rowLimits = payload.Limits{
	Whole: payload.Paths(
		"message.content", "message.content[].text", "message.content[].input.todos[].content",
		"message.content[].input.prompt", "message.content[].input.plan", "attachment.prompt", "content",
		"toolUseResult.plan", "toolUseResult.prompt", "toolUseResult.answers.",
		// Output has at most 30,000 characters, and is searched for failures before it is cut.
		"toolUseResult.stdout", "toolUseResult.stderr", "message.content[].content",
	),
	Drop: payload.Paths(
		"toolUseResult.originalFile", "toolUseResult.file.content", "toolUseResult.file.base64",
		"toolUseResult.structuredPatch", "message.content[].source", "snapshot",
	),
}

// reader reads one transcript. Its session is the one that the file's name names, if a row has it, else that of the first row. It is
// not safe for concurrent use.
type reader struct {
	transcript.Reported
	env agents.Env

	path    string
	file    string          // the session that the file's name names, unless the file was renamed
	entry   string          // the starter of the client, see agents.Headless
	began   bool            // a row of the conversation was read
	start   row             // first row of a session whose start was not reported yet; empty afterwards
	source  string          // source of the session's start
	seen    map[string]bool // uuids of the rows so far
	threads map[string]*thread
	order   []*thread         // threads in the order of their first rows
	chains  map[string]string // lane by uuid, for rows of subagents without a name
	uses    transcript.Calls[call]
	queue   queue
	branches
	lastMessage  string // id of the message with the newest words, "" after a tool call
	shellCommand string // the person's own command whose output was not read yet, "" if there is none
	title        row    // the newest row with a title
	tasks        *Tasks
	payload      []byte // reused for each step
}

// newReader returns a reader of the transcript at a path. tasks are those of the transcripts before, nil for none.
func newReader(path string, tasks *Tasks) *reader {
	r := &reader{
		path: path, file: sessionOf(path), source: "startup", Reported: transcript.NewReported(Name), seen: map[string]bool{}, threads: map[string]*thread{},
		chains: map[string]string{}, tasks: cmp.Or(tasks, &Tasks{}), queue: queue{removed: map[string]int{}, attached: map[string]int{}},
	}
	if isHistory(path) {
		r.source = historySource
	}
	// A transcript has only these of the hooks' variables.
	r.env.Getenv = func(name string) string {
		switch name {
		case Dialect.Vars.Project:
			return r.Root
		case frame.ClaudeEntry:
			return r.entry
		}
		return ""
	}
	return r
}

// Row implements transcript.Parser.
func (r *reader) Row(b []byte) error {
	if !transcript.Closed(b) {
		return transcript.ErrJSON
	}
	r.dispatch(rowFields.read(b))
	return nil
}

// dispatch chooses the handler of a parsed row.
func (r *reader) dispatch(row row) {
	if !row.at.IsZero() {
		r.At = row.at
	}
	// The first row of a session that begins with an approved plan may be the last row of the session before.
	if row.session != "" && (r.SessionID == "" || row.session == r.file) {
		r.SessionID = row.session
	}
	if row.uuid != "" && !r.Watching {
		if r.seen[row.uuid] {
			return // a row that was written twice
		}
		r.seen[row.uuid] = true
		r.Complete(row.uuid)
	}
	row.fresh = r.addRow(row)
	// Rows of other kinds report no events: lists of summaries, snapshots of files, modes.
	switch row.kind {
	case "queue-operation":
		if r.SessionID != "" {
			r.operation(row)
		}
	case "custom-title", "ai-title":
		r.titled(row)
	case "user", "assistant", "system", "attachment":
		if r.SessionID != "" {
			r.conversation(row)
		}
	}
}

// titled handles a title of the session. It reports a new one, or leaves that to begin if the session's start was not reported yet. A
// title by the person stays. The rows of titles have no id and no time, and the client repeats them.
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
	h := r.Hook(events.Title)
	h.Text = r.title.title
	if r.title.kind == "custom-title" {
		h.Reason = "person"
	}
	r.Add(h, "", r.title.kind+" "+h.Text)
}

// conversation handles a row of the conversation.
func (r *reader) conversation(row row) {
	if r.Root == "" { // the client was started in the first row's directory
		r.Root = transcript.Unquote(row.cwd)
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

// hook returns a hook of a thread for a fact that the current row reports without a payload.
func (r *reader) hook(t *thread, kind events.HookKind) events.Hook {
	h := r.Hook(kind)
	h.Lane, h.Turn = t.lane, transcript.Unquote(t.turn)
	return h
}

// End reports the ends of turns and subagents.
func (r *reader) End() {
	for _, t := range r.order {
		r.endTurn(t)
		if t.lane != "" {
			r.endSubagent(t)
		}
	}
	r.order, r.threads = nil, map[string]*thread{}
}

// skim implements transcript.Format.Skim.
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
			head.Session = name // the first row may be of the session before
		}
		if below > 0 {
			head.Session = parts[below-1]
		}
		return head, nil
	}
	return transcript.Head{}, transcript.ErrNoSession
}

const (
	// subagentsFolder, in a folder with the session's name, has the transcripts of subagents. Those of a workflow are in a folder
	// in it, with a file workflowNotes.
	subagentsFolder = "subagents"
	workflowNotes   = "journal.jsonl"
	// sessionName is the length of the client's session ids.
	sessionName = len("00000000-0000-4000-8000-000000000000")
)

// around implements transcript.Format.Around. A session that continued in another worktree also has a transcript in the folder of that
// project.
func around(path string) []string {
	if projects := filepath.Dir(filepath.Dir(path)); filepath.Base(projects) == "projects" {
		return []string{projects}
	}
	return []string{path, strings.TrimSuffix(path, transcriptExt)}
}

// member is a member of a hook's payload. value is JSON; addStep omits a member without a value.
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
	members := []member{{"source", quote(r.source)}}
	if filepath.IsAbs(r.path) && !isHistory(r.path) {
		members = append(members, member{"transcript_path", quote(r.path)})
	}
	r.addStep(&thread{}, first, "SessionStart", what, members...)
	r.addTitle()
}

// addHookStep adds the step of a hook and returns it. detail distinguishes several steps of the same hook in one row. It returns nil
// while watching, if the hook itself reported the step, and if the payload is broken.
func (r *reader) addHookStep(t *thread, row row, hook, detail string, members ...member) *transcript.Step {
	if r.Watching && !row.within && hook != "PostToolUseFailure" { // a failed call may have been refused, which no hook reports
		return nil
	}
	r.begin(t)
	return r.addStep(t, row, hook, detail, members...)
}

// addStep adds the step of a hook, from the payload that the client would have sent to it. It returns nil if that is broken.
func (r *reader) addStep(t *thread, row row, hook, detail string, members ...member) *transcript.Step {
	b := append(r.payload[:0], `{"hook_event_name":"`...)
	b = append(append(b, hook...), `","session_id":`...)
	b = append(b, quote(r.SessionID)...)
	put := func(m member) {
		if len(m.value) > 0 {
			b = append(append(append(append(b, `,"`...), m.name...), `":`...), m.value...)
		}
	}
	cwd := row.cwd
	if len(cwd) == 0 {
		cwd = quote(r.Root)
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
	for _, m := range members {
		put(m)
	}
	b = append(b, '}')
	r.payload = b

	env := r.env
	env.Now = row.at
	if row.at.IsZero() {
		env.Now = r.At
	}
	what := hook
	if detail != "" {
		what += " " + detail
	}
	s := r.AddPayload(Dialect, b, env, row.uuid, what)
	if s != nil { // old clients call no hook for a prompt within a turn
		s.Sure = hook == "PostToolUse" || hook == "UserPromptSubmit" && !s.Report.Hook.Machine && !row.within
	}
	return s
}
