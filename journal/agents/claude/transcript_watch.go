package claude

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
)

// watcher finds in a growing transcript the facts that no hook reports (docs/CLIENTS.md §4). It uses the reader of imports, so the
// steps have the same ids.
type watcher struct {
	*reader
	contextReader
}

// watch implements transcript.Format.Watch.
func watch(string) transcript.Watcher {
	w := &watcher{reader: newReader("", subagentTypes{})}
	w.Watching = true
	return w
}

// Parse implements transcript.Watcher.
func (w *watcher) Parse(b []byte) []transcript.Step {
	// Most rows that report nothing are snapshots of files. Others matter only as parents of further rows.
	reports := transcript.Mentions(b, `"message"`, `"queue-operation"`, `"attachment"`, `"compact_boundary"`, `"microcompact_boundary"`, `"customTitle"`, `"aiTitle"`)
	if !reports && !transcript.Mentions(b, `"parentUuid"`) || !transcript.Closed(b) {
		return nil
	}
	row := rowFields.read(b)
	if row.sidechain && row.agent == "" {
		return nil // hooks do not have such a lane
	}
	if row.title == "" && w.Old(row.at) { // the row is of another session; rows with titles have no time
		return nil
	}
	w.contextReader.dispatch(row)
	if !reports {
		return nil
	}
	w.reader.dispatch(row)
	return slices.DeleteFunc(w.Flush(), func(s transcript.Step) bool { return !s.Unhooked && !isUnhooked(s.Report.Hook) })
}

// Restarted implements transcript.Watcher.
func (w *watcher) Restarted() []transcript.Step {
	w.reportKilled(nil)
	return w.Flush()
}

// isUnhooked reports whether no hook reports a step like h.
func isUnhooked(h events.Hook) bool {
	switch h.Kind {
	case events.PromptSubmit:
		return !h.Machine
	case events.TurnInterrupt, events.Rewind, events.ContextClear, events.Title:
		return true
	case events.ToolEnd:
		return h.Tool != nil && (h.Tool.Refused || h.Tool.Person)
	}
	return false
}

// interrupt reports that the person stopped the model.
func (r *reader) interrupt(t *thread, row row, text string) {
	r.begin(t)
	h := r.hook(t, events.TurnInterrupt)
	if strings.Contains(text, "for tool use") {
		h.Reason = "tool"
	}
	if t.lane == "" {
		h.Said = redact.Text(r.Words.Text)
	}
	r.Add(h, row.uuid, "interrupted")
}

// shell handles a text with a command that the person ran, or with its output, which may be in a later row. It ignores other texts.
func (r *reader) shell(t *thread, row row, text string) {
	if !strings.HasPrefix(strings.TrimSpace(text), "<bash-") {
		return
	}
	if command := strings.TrimSpace(between(text, "bash-input")); command != "" {
		r.shellCommand = command
	}
	if r.shellCommand == "" || !strings.Contains(text, "<bash-stdout>") && !strings.Contains(text, "<bash-stderr>") {
		return
	}
	command := r.shellCommand
	r.shellCommand = ""
	r.begin(t)
	s := r.addStep(t, row, "PostToolUse", "person", map[string]any{
		"tool_name": "Bash", "tool_use_id": row.uuid, "tool_input": map[string]string{"command": command},
		"tool_response": map[string]string{"stdout": between(text, "bash-stdout"), "stderr": between(text, "bash-stderr")},
	})
	if s != nil {
		s.Sure, s.Report.Hook.Tool.Person = false, true
	}
}

// between returns the content of an element, not trimmed; "" if it is missing.
func between(text, name string) string {
	_, rest, _ := strings.Cut(text, "<"+name+">")
	value, _, _ := strings.Cut(rest, "</"+name+">")
	return value
}

// subagentPath returns the path of a subagent's own transcript. path is the session's transcript.
func subagentPath(path, lane string) string {
	return filepath.Join(strings.TrimSuffix(path, transcriptExt), subagentsFolder, "agent-"+lane+transcriptExt)
}

// taskBytes bounds the first row of a subagent's transcript, in bytes.
const taskBytes = 256 << 10

// task implements transcript.Format.Task: the first row of the subagent's transcript has the task. The client calls the hook of the
// call that started the subagent only after the subagent's answer.
func task(path, lane string) (transcript.Step, error) {
	if !transcript.PlainID(lane) {
		return transcript.Step{}, fs.ErrInvalid
	}
	f, _, err := disk.Open(subagentPath(path, lane))
	if err != nil {
		return transcript.Step{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, taskBytes))
	if err != nil {
		return transcript.Step{}, err
	}
	b, _, whole := bytes.Cut(b, []byte("\n"))
	if !whole || !transcript.Closed(b) {
		return transcript.Step{}, fs.ErrNotExist // the row is being written, or is longer than taskBytes
	}
	row := rowFields.read(b)
	text := textOf(partsOf(messageFields.read(row.message).content))
	if row.kind != "user" || row.agent != lane || strings.TrimSpace(text) == "" {
		return transcript.Step{}, fs.ErrInvalid
	}
	return transcript.Step{Row: row.uuid, What: "task", Report: agents.Report{Hook: events.Hook{
		Agent: Name, Native: "transcript", Kind: events.ToolEnd, Session: row.session, At: row.at.UnixNano(),
		Root: row.cwd, Tool: &events.ToolCall{Name: "Agent", Action: events.RunAgent, Lane: lane, Task: redact.Text(text)},
	}}}, nil
}
