// Package agents has what is common to the hooks of all coding agents: the report
// that a dialect makes of a payload, the register of dialects, and the tools that
// dialects are made of.
//
// A dialect translates the JSON of one agent's hooks into neutral hooks, and answers
// into what the agent takes from stdout. It stands in the agent's package, beside its
// transcripts and its installation, and declares itself there. Reading never fails: what can
// be read of a broken payload is kept, with the reason beside it.
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
	"journal/journal/wire"
)

// Env is what a dialect may know besides the payload.
type Env struct {
	Getenv func(string) string
	Now    time.Time // when the hook process began
	Event  string    // the hook's name from the command line, for payloads without one
	Past   bool      // the payload tells of the past: files are not what they were
	// Cwd is the directory of the hook's process; empty is that of this one.
	Cwd string
}

// Path gives a path of the payload as this process finds it.
func (e Env) Path(path string) string {
	if path == "" {
		return ""
	}
	return Below(e.Cwd, path)
}

// Report is what one hook said, and what its agent is owed for it.
type Report struct {
	Hook events.Hook
	// Key is equal for two reports of one fact and, as far as the agent's
	// protocol allows, for no others.
	Key string
	// Owed is the kind of answer that the agent can take now, empty for none. An
	// agent that can take a recovery text only at a later event than the one that
	// follows the compaction is owed it there.
	Owed string
	// Wait bounds how long the agent may be kept waiting for it.
	Wait time.Duration
	// Quick says that the agent ends its hooks soon: append and leave.
	Quick bool
}

// Units and Vital limit a text for an agent's context, in UTF-16 code units; what is needed most
// has to stand within Vital. They are what the strictest agent takes: of 10,000 units all arrives
// in Claude Code, of more the first 2,000; Codex takes about as many characters. From the others
// nothing is cut, but a text stands in every request that follows.
const (
	Units = 9500
	Vital = 1900
)

// Dialect is how one agent speaks to its hooks, as a table: [Dialect.Read] is the same for all
// of them. Its functions are safe for concurrent use.
type Dialect struct {
	Agent string
	// Vars are the agent's own environment variables.
	Vars Vars
	// Resume is the command line that goes on with a session, but for its id at the end; empty when there is none.
	Resume string
	// Windows are the context windows in tokens of the agent's models, by what their
	// ids begin with (S1.3).
	Windows map[string]int64
	// Tags are those to which the agent's client gives a meaning in what its model reads,
	// by name: texts for agents, of whichever, have them broken up.
	Tags []string

	// Limits bounds what is kept of a payload.
	Limits payload.Limits
	// Outputs are the paths of what a command printed, two at most: all of it is searched for
	// marks of failure, however little of it is kept.
	Outputs []string
	// Kinds says what hooks mean, by their names. One that is not here has no meaning of its
	// own yet and is kept as received.
	Kinds map[string]events.HookKind
	// Names are the members that every payload may have.
	Names Names
	// Place fills in where the hook ran, beyond what Names tell: its process, its root. Nil
	// has nothing to add.
	Place func(h *events.Hook, p *Payload)
	// Quick are the hooks that the agent ends soon, besides the end of a session.
	Quick []events.HookKind
	// Meaning fills in what a hook is about, and takes from the payload what stands in the
	// hook's event. It gives the members that belong into the rest instead of those taken.
	Meaning func(h *events.Hook, p *Payload) []Member
	// Around takes from the payload what is known anyway of where the hook ran. Nil takes
	// nothing.
	Around func(h *events.Hook, p *Payload)
	// Owed says which answers hooks can take: the first that fits, else none (ADR-0019).
	Owed []Owed

	// Usage takes one input of the agent's statusline; nil when it has none. A
	// report without Hook.Usage says nothing about the context.
	Usage func(r io.Reader, env Env) Report
	// Answer gives the exact stdout for a text and whom it is for (wire.ToModel
	// and the others). Empty text is no output at all, and so is a text for
	// somebody whom the agent cannot reach at this hook.
	Answer func(h events.Hook, to, text string) []byte
	// Claims says that a payload is surely this agent's, whichever agent's hook it came
	// through. Nil for an agent that calls no hooks but its own. A call through another
	// agent's hook is owed nothing: what the agent makes of the answer is not known.
	Claims func(p payload.Value) bool
}

// Owed is an answer that an agent can take at a hook.
type Owed struct {
	At     events.HookKind
	Answer string                            // wire.RecoveryText and the others
	If     func(h events.Hook, env Env) bool // nil is always
}

// OnMain says whether a hook is of the main thread, for Owed.
func OnMain(h events.Hook, _ Env) bool { return h.Lane == "" }

// owed gives the answer that a hook can take.
func (d *Dialect) owed(h events.Hook, env Env) string {
	for _, o := range d.Owed {
		if o.At == h.Kind && (o.If == nil || o.If(h, env)) {
			return o.Answer
		}
	}
	return ""
}

// Vars are the names of the environment variables that an agent gives to its hooks
// and to the commands that it runs, each empty when it has none such.
type Vars struct {
	Project string // directory of the project
	Session string // id of the session
	// Exports is a file in which a hook at the start of a session may leave shell
	// commands that are run before each command of the session.
	Exports string
}

var declared = map[string]*Dialect{}

// Declare registers the dialect of an agent, from the variables of its package. It
// panics on a second one of the same name.
func Declare(d Dialect) *Dialect {
	if declared[d.Agent] != nil {
		panic("agents: " + d.Agent + " is declared twice")
	}
	text.DeclareTags(d.Tags...)
	declared[d.Agent] = &d
	return &d
}

// Named gives the dialect of an agent. The error lists those there are.
func Named(agent string) (*Dialect, error) {
	if d := declared[agent]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("unknown agent %q (known: %s)", agent, strings.Join(Agents(), ", "))
}

// Agents lists the agents with a dialect, sorted.
func Agents() []string { return slices.Sorted(maps.Keys(declared)) }

// Windows gives the context windows of the models of all agents, by what their ids
// begin with.
func Windows() map[string]int64 {
	all := map[string]int64{}
	for _, d := range declared {
		maps.Copy(all, d.Windows)
	}
	return all
}

// Resume gives the command line with which a shell goes on with a session of an agent, in the directory of its project;
// empty where the agent has none, or the id is no plain word.
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

// Statusline gives the dialect of the agent that calls the statusline bridge, whose
// command names none; nil when no agent has a statusline.
func Statusline() *Dialect {
	for _, name := range Agents() {
		if d := declared[name]; d.Usage != nil {
			return d
		}
	}
	return nil
}

// Around gives what the environment says of the agent that a command runs in: the
// directory of the project and the id of the session, each empty when nobody says.
func Around(getenv func(string) string) (project, session string) {
	said := func(variable string) string {
		if variable == "" {
			return ""
		}
		return getenv(variable)
	}
	for _, name := range Agents() {
		v := declared[name].Vars
		project, session = cmp.Or(project, said(v.Project)), cmp.Or(session, said(v.Session))
	}
	return project, session
}

// Answer gives the JSON by which hooks of several agents speak: person is shown to the
// person, context goes to the model under the hook's own name; what is empty is left
// out. It ends with a line end.
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

// Speak gives the answer of an agent whose model reads the context of the hooks in toModel, and
// whose person reads what any hook says.
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

// Join makes one answer of two, of which the agent takes one document: objects that have
// no member in common. Either may be empty.
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

// TellsJournal says whether a command is an agent's word to the journal, such as
// `journal decide …`: it is no command that worked.
func TellsJournal(command payload.Value) bool {
	return failure.Calls(command.Str(), "journal", "journal-hook")
}

// File fills in which file a call was about. Agents name it whole, or from the directory of
// the session. Without a path the call stays what it is.
func File(h *events.Hook, action events.Action, path string) {
	if path == "" {
		return
	}
	h.Tool.Action, h.Tool.Paths = action, []string{Below(h.Cwd, path)}
}

// Below gives a path as it is from a directory, which may be unknown.
func Below(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Failed fills in that a command ended with an exit code other than 0: what it printed is then
// the error.
func Failed(t *events.ToolCall, exit int) {
	t.Failed, t.Exit = true, exit
	t.Error, t.Output = t.Output, ""
}

// Replaces fills in what an edit of one file changed: the input of the call has the old text and the new one under the
// names, once or in each item of "edits".
func Replaces(t *events.ToolCall, in payload.Value, old, new string) {
	if t.Failed || t.Action != events.EditFile || len(t.Paths) != 1 {
		return
	}
	add := func(v payload.Value) {
		if is := v.Get(new); is.Kind() == payload.String {
			t.Replaced = append(t.Replaced, events.Replaced{Path: t.Paths[0], Old: v.Get(old).Str(), New: is.Str()})
		}
	}
	add(in)
	for v := range in.Get("edits").Items() {
		add(v)
	}
}
