// Package agents has the common parts of all coding agents' hooks: the report that a dialect makes of a payload, the
// register of dialects, and helpers for dialects.
//
// A dialect translates the JSON of one agent's hooks into neutral hooks, and answers into the agent's stdout format. It
// is declared in the agent's package, beside its transcripts and its installation. Reading never fails: the readable
// part of a broken payload is kept, with the reason beside it.
package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"journal/events"
	"journal/events/shell/failure"
	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/wire"
)

// Env holds the environment that a dialect may read besides the payload.
type Env struct {
	Getenv func(string) string
	Now    time.Time // start of the hook process
	Event  string    // the hook's name from the command line, for payloads without one
	Past   bool      // the payload is from the past: files have changed since
	// Cwd is the directory of the hook's process; empty is that of this process.
	Cwd string
}

// Path returns a path of the payload as this process can open it.
func (e Env) Path(path string) string {
	if path == "" {
		return ""
	}
	return Below(e.Cwd, path)
}

// Report holds the events of one hook, and the answer that its agent is owed.
type Report struct {
	Hook events.Hook
	// Key is equal for two reports of one fact and, as far as the agent's protocol allows, for no others.
	Key string
	// Owed is the kind of answer that the agent can take now, empty for none. An agent that can take a recovery text
	// only at a later event than the one after the compaction is owed it there.
	Owed string
	// Wait is the longest that the agent may wait for the answer.
	Wait time.Duration
	// Quick is set if the agent soon ends its hooks: append and leave.
	Quick bool
}

// Units and Vital limit a text for an agent's context, in UTF-16 code units; the most needed items must be within
// Vital. They suit the strictest agents: Claude Code takes 10,000 units whole, and of more only the first 2,000; Codex
// takes about as many characters. The others cut nothing, but a text is part of every later request.
const (
	Units = 9500
	Vital = 1900
)

// Dialect describes how one agent speaks to its hooks, as a table: [Dialect.Read] is the same for all of them. Its
// functions are safe for concurrent use.
type Dialect struct {
	Agent string
	// Vars are the agent's own environment variables.
	Vars Vars
	// Resume is the command line that resumes a session, without the session's id at its end; empty if there is none.
	Resume string
	// Windows maps prefixes of model ids to the context windows of the agent's models, in tokens (S1.3).
	Windows map[string]int64
	// Tags lists elements that have a meaning for the agent's client in what its model reads. They are broken up in
	// texts for all agents.
	Tags []string

	// Memory lists what the client keeps for its model, and the files of instructions that it gives to it.
	Memory []notes.Memory

	// Limits bounds the kept part of a payload; by default 384 KiB of texts.
	Limits payload.Limits
	// Outputs are the paths of command output, at most two: all of it is searched for marks of failure, however little
	// is kept.
	Outputs []string
	// Kinds maps names of hooks to their meaning. All others have no meaning yet and are kept as received.
	Kinds map[string]events.HookKind
	// Names are the members that every payload may have.
	Names Names
	// Place sets where the hook ran, beyond Names: its process, its root. Nil if there is nothing to add.
	Place func(h *events.Hook, p *Payload)
	// Quick lists the hooks that the agent soon ends, besides the end of a session.
	Quick []events.HookKind
	// Meaning sets the fields of a hook by its kind, and takes from the payload what its event has. It returns the
	// members that go into the rest instead of those taken.
	Meaning func(h *events.Hook, p *Payload) []Member
	// Around takes from the payload what is known anyway about where the hook ran. Nil takes nothing.
	Around func(h *events.Hook, p *Payload)
	// Owed lists the answers that hooks can take: the first match counts (ADR-0019).
	Owed []Owed

	// Usage reads one input of the agent's statusline; nil if it has none. A report without Hook.Usage adds nothing
	// about the context.
	Usage func(r io.Reader, env Env) Report
	// Answer returns the exact stdout for a text and its recipient (wire.ToModel and the others). It is empty for an
	// empty text, and for a recipient whom the agent cannot reach at this hook.
	Answer func(h events.Hook, to, text string) []byte
	// Claims reports whether a payload is certainly this agent's, whichever agent's hook it came through. Nil for an
	// agent that calls only its own hooks. A call through another agent's hook is owed nothing: how the agent treats an
	// answer is unknown.
	Claims func(p payload.Value) bool
}

// Owed is an answer that an agent can take at a hook.
type Owed struct {
	At     events.HookKind
	Answer string                            // wire.RecoveryText and the others
	If     func(h events.Hook, env Env) bool // nil means always
}

// Arrival returns when the agent takes the text after a compaction, for people.
func (d *Dialect) Arrival() string {
	takes := func(answer string) bool {
		return slices.ContainsFunc(d.Owed, func(o Owed) bool { return o.Answer == answer && o.At != events.SessionStart })
	}
	switch {
	case takes(wire.RecoveryText):
		return "by itself"
	case takes(wire.DueAtWork):
		return "with the next tool call or prompt"
	}
	return "with the next prompt"
}

// OnMain reports whether a hook is of the main thread, for Owed.
func OnMain(h events.Hook, _ Env) bool { return h.Lane == "" }

// owed returns the answer that a hook can take.
func (d *Dialect) owed(h events.Hook, env Env) string {
	for _, o := range d.Owed {
		if o.At == h.Kind && (o.If == nil || o.If(h, env)) {
			return o.Answer
		}
	}
	return ""
}

// Vars names the environment variables that an agent sets for its hooks and commands, each empty if there is none.
type Vars struct {
	Project string // directory of the project
	Session string // id of the session
	// Exports is a file for shell commands, written by a hook at a session's start; they run before each command of the
	// session.
	Exports string
}

var declared = map[string]*Dialect{}

// Declare registers the dialect of an agent, from the variables of its package. It panics on a duplicate name.
func Declare(d Dialect) *Dialect {
	if declared[d.Agent] != nil {
		panic("agents: " + d.Agent + " is declared twice")
	}
	text.DeclareTags(d.Tags...)
	// One text of 256 KiB is kept whole beside all else, and an event with texts of 384 KiB fits into an envelope
	// (ADR-0014; see Fit).
	d.Limits.Total = 384 << 10
	declared[d.Agent] = &d
	return &d
}

// Named returns the dialect of an agent. The error lists the known ones.
func Named(agent string) (*Dialect, error) {
	if d := declared[agent]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("unknown agent %q (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents with a dialect, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(declared)) }

// Windows maps prefixes of model ids to the context windows of all agents' models.
func Windows() map[string]int64 {
	all := map[string]int64{}
	for _, d := range declared {
		maps.Copy(all, d.Windows)
	}
	return all
}

// Resume returns the shell command line that resumes a session of an agent, in its project's directory; empty if the
// agent has none, or the id is no plain word.
func Resume(agent, session, root string) string {
	d := declared[agent]
	if d == nil || d.Resume == "" || session == "" || session[0] == '-' || strings.ContainsFunc(session, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return ""
	}
	line := d.Resume + " " + session
	if filepath.IsAbs(root) && !strings.ContainsFunc(root, unicode.IsControl) {
		line = "cd '" + strings.ReplaceAll(root, "'", `'\''`) + "' && " + line
	}
	return line
}

// Statusline returns the dialect of the agent that calls the statusline bridge, whose command names none; nil if no
// agent has a statusline.
func Statusline() *Dialect {
	for _, name := range Agents() {
		if d := declared[name]; d.Usage != nil {
			return d
		}
	}
	return nil
}

// JudgeDir begins the name of the directory in which a judge of journal audit runs. An import skips its transcripts.
const JudgeDir = "journal-judge-"

// FromEnvironment returns the facts of the environment about the agent that runs a command: the directory of the project and the id
// of the session, each empty if unknown.
func FromEnvironment(getenv func(string) string) (project, session string) {
	value := func(variable string) string {
		if variable == "" {
			return ""
		}
		return getenv(variable)
	}
	for _, name := range Agents() {
		v := declared[name].Vars
		project, session = cmp.Or(project, value(v.Project)), cmp.Or(session, value(v.Session))
	}
	return project, session
}

// Answer returns the JSON that hooks of several agents print: person is shown to the person, context goes to the model
// under the hook's own name. Empty texts are omitted. It ends with a line end.
func Answer(native, context, person string) []byte {
	type output struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var doc struct {
		SystemMessage string  `json:"systemMessage,omitempty"`
		Output        *output `json:"hookSpecificOutput,omitempty"`
	}
	doc.SystemMessage = person
	if context != "" {
		doc.Output = &output{native, context}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(doc) // strings always encode
	return b.Bytes()
}

// Speak returns the answer of an agent whose model reads the context of the hooks in toModel, and whose person sees the
// messages of all hooks.
func Speak(h events.Hook, to, text string, toModel []string) []byte {
	switch {
	case text == "":
		return nil
	case to == wire.ToPerson:
		return Answer(h.Native, "", text)
	case to == wire.ToModel && slices.Contains(toModel, h.Native):
		return Answer(h.Native, text, "")
	}
	return nil
}

// PluginAnswer returns the object that a plugin of ours takes: a text for a context that it can add to, or for the person.
func PluginAnswer(_ events.Hook, to, text string) []byte {
	if text == "" {
		return nil
	}
	name := "context"
	if to == wire.ToPerson {
		name = "person"
	}
	b, _ := json.Marshal(map[string]string{name: text}) // strings always encode
	return append(b, '\n')
}

// Join merges two answers for an agent that takes one document: objects without a common member. Either may be empty.
func Join(a, b []byte) []byte {
	first, second := bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case len(second) == 0:
		return a
	case len(first) == 0:
		return b
	case !bytes.HasSuffix(first, []byte("}")) || !bytes.HasPrefix(second, []byte("{")):
		return a // a text that is no object
	}
	return slices.Concat(first[:len(first)-1], []byte(","), second[1:], []byte("\n"))
}

// IsJournalCommand reports whether a command is an agent's report to the journal, such as `journal decide …`: it does not
// count as a command that worked.
func IsJournalCommand(command payload.Value) bool {
	return failure.Calls(command.Str(), "journal", "journal-hook")
}

// File sets the file of a call. Agents report an absolute path, or one relative to the session's directory. Without a
// path the call is unchanged.
func File(h *events.Hook, action events.Action, path string) {
	if path == "" {
		return
	}
	h.Tool.Action, h.Tool.Paths = action, []string{Below(h.Cwd, path)}
}

// Below returns a path as seen from a directory, which may be unknown.
func Below(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Failed records that a command ended with an exit code other than 0: its output is then the error.
func Failed(t *events.ToolCall, exit int) {
	t.Failed, t.Exit = true, exit
	t.Error, t.Output = t.Output, ""
}

// SetReplacements records what an edit of one file changed. The input of the call has the old and the new text under these
// names, once or in each item of "edits".
func SetReplacements(t *events.ToolCall, in payload.Value, old, new string) {
	if t.Failed || t.Action != events.EditFile || len(t.Paths) != 1 {
		return
	}
	add := func(v payload.Value) {
		if text := v.Get(new); text.Kind() == payload.String {
			t.Replaced = append(t.Replaced, events.Replaced{Path: t.Paths[0], Old: v.Get(old).Str(), New: text.Str()})
		}
	}
	add(in)
	for v := range in.Get("edits").Items() {
		add(v)
	}
}
