// Package agents has the common parts of all coding agents' hooks: the report that a dialect makes of a payload, the list of
// declared dialects, and helpers for dialects.
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
	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/wire"
)

// Env holds the facts about the call of a hook that a dialect may read besides the payload.
type Env struct {
	Getenv func(string) string
	Now    time.Time // start of the hook process
	Event  string    // the hook's name on the command line, for payloads without one
	Past   bool      // the payload is made from a transcript: files may have changed since
	// Cwd is the directory of the hook's process; "" means that of this process.
	Cwd string
}

// Path returns a path of the payload in the form in which this process can open it: joined to Cwd if it is relative. It returns ""
// for "".
func (e Env) Path(path string) string {
	if path == "" {
		return ""
	}
	return Resolve(e.Cwd, path)
}

// Report is one hook in the neutral form, with the kind of answer that the hook asks for.
type Report struct {
	Hook events.Hook
	// Key is equal for two reports of one fact and, as far as the agent's protocol allows, for no others.
	Key string
	// AnswerKind is the kind of answer that the agent can take now, such as wire.RecoveryText; "" for none.
	AnswerKind string
	// Wait is the longest time that the agent may wait for the answer. If it is 0, the answer comes with the receipt of the events, or
	// not at all.
	Wait time.Duration
	// Quick is set if the agent soon ends the hook's process: the hook must append its events and return.
	Quick bool
}

// Units bounds a text for an agent's context, and Vital the beginning of the text that must have the most needed items, both in
// UTF-16 code units. They suit the strictest agents: Claude Code shows the model a text of up to 10,000 units whole, and of a longer
// one only the first 2,000. Codex has a similar limit. The other agents cut nothing, but the text is part of every later request.
const (
	Units = 9500
	Vital = 1900
)

// Dialect describes the JSON of one agent's hooks as a table, which [Dialect.Read] interprets. Its functions are safe for
// concurrent use.
type Dialect struct {
	Agent string
	// Vars are the agent's own environment variables.
	Vars Vars
	// Resume is the command line that resumes a session, without the session's id at its end; "" if there is none.
	Resume string
	// Windows maps prefixes of model ids to the context windows of the agent's models, in tokens (S1.3).
	Windows map[string]int64
	// Tags names the elements that the client treats as its own in a text for its model. Texts for all agents have them only in a
	// harmless form (text.Inert).
	Tags []string

	// Memory lists the files that the client keeps for its model or loads as instructions.
	Memory []notes.Memory

	// Limits bounds the kept part of a payload. Declare sets its Total.
	Limits payload.Limits
	// Outputs lists the paths at which a payload may have the output of a command, at most two. The whole output is searched for
	// marks of failure, even if only a part is kept.
	Outputs []string
	// Kinds maps names of hooks to their meaning. Hooks with other names are stored as received.
	Kinds map[string]events.HookKind
	// Names names the members that every payload may have.
	Names Names
	// Correct corrects what Names and Kinds set about the hook: its session, kind, process, root or transcript. Nil changes
	// nothing.
	Correct func(h *events.Hook, p *Payload)
	// Quick lists the hooks whose processes the agent soon ends, besides that of the end of a session (see Report.Quick).
	Quick []events.HookKind
	// Meaning sets the fields of a hook by its kind. From the payload it removes the members that these fields hold. It returns the
	// members to store in place of removed ones.
	Meaning func(h *events.Hook, p *Payload) []Member
	// DropRepeated removes the members that an earlier or later event of the session has. Nil removes nothing.
	DropRepeated func(h *events.Hook, p *Payload)
	// Answers lists the answers that hooks can take: the first rule that applies counts (ADR-0019).
	Answers []AnswerRule

	// Usage reads one input of the agent's statusline. The report has no Hook.Usage if the input has no sample. Nil if the agent has
	// no statusline.
	Usage func(r io.Reader, env Env) Report
	// Answer returns the exact stdout for a text and its recipient (wire.ToModel and the others). It is empty for an
	// empty text, and for a recipient whom the agent cannot reach at this hook.
	Answer func(h events.Hook, to, text string) []byte
	// Sent reports whether a payload is certainly this agent's, although it came through another agent's hook. Such a call gets no
	// answer, because it is unknown how the agent would treat one. Nil for an agent that calls only its own hooks.
	Sent func(p payload.Value) bool
}

// AnswerRule names the kind of answer that an agent can take at a hook.
type AnswerRule struct {
	At   events.HookKind
	Kind string                   // wire.RecoveryText and the others
	If   func(h events.Hook) bool // nil means always
}

// Arrival describes for people when the recovery text reaches the agent after a compaction.
func (d *Dialect) Arrival() string {
	takes := func(kind string) bool {
		return slices.ContainsFunc(d.Answers, func(r AnswerRule) bool { return r.Kind == kind && r.At != events.SessionStart })
	}
	switch {
	case takes(wire.RecoveryText):
		return "by itself"
	case takes(wire.DueAtWork):
		return "with the next tool call or prompt"
	}
	return "with the next prompt"
}

// OnMain is an AnswerRule.If that is true for hooks of the main lane.
func OnMain(h events.Hook) bool { return h.Lane == "" }

// answerKind returns the kind of answer that a hook can take, "" for none.
func (d *Dialect) answerKind(h events.Hook) string {
	for _, r := range d.Answers {
		if r.At == h.Kind && (r.If == nil || r.If(h)) {
			return r.Kind
		}
	}
	return ""
}

// Vars names the environment variables that an agent sets for its hooks and commands, each "" if there is none.
type Vars struct {
	Project string // directory of the project
	Session string // id of the session
	// Exports is a file in which a hook at a session's start may write shell commands. The agent runs them before each command
	// of the session.
	Exports string
}

var declared = map[string]*Dialect{}

// Declare adds the dialect of an agent. A variable of the agent's package holds its result. It panics on a duplicate name.
func Declare(d Dialect) *Dialect {
	if declared[d.Agent] != nil {
		panic("agents: " + d.Agent + " is declared twice")
	}
	text.DeclareTags(d.Tags...)
	// One text of 256 KiB fits beside everything else in the payload, and an event with 384 KiB of texts fits into an envelope
	// (ADR-0014; see fit).
	d.Limits.Total = 384 << 10
	declared[d.Agent] = &d
	return &d
}

// Named returns the dialect of an agent. The error lists the known agents.
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

// Resume returns the shell command line that resumes a session of an agent. It changes to root, the project's directory, if
// that is absolute and has no control characters. It is "" if the agent has no such command, or the id begins like an option or has
// characters that a shell may interpret.
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

// Statusline returns the dialect of the agent that has a statusline, nil for none: `journal statusline` does not name the agent.
func Statusline() *Dialect {
	for _, name := range Agents() {
		if d := declared[name]; d.Usage != nil {
			return d
		}
	}
	return nil
}

// JudgePrefix begins the name of the directory in which journal audit runs an agent as its judge. An import skips the transcripts
// of such agents.
const JudgePrefix = "journal-judge-"

// FromEnvironment returns the project's directory and the session's id from the variables that an agent sets for its commands,
// each "" if unknown. Both are of the same agent, because an agent may run in a command of another one.
func FromEnvironment(getenv func(string) string) (project, session string) {
	value := func(variable string) string {
		if variable == "" {
			return ""
		}
		return getenv(variable)
	}
	for _, name := range Agents() {
		v := declared[name].Vars
		if session = value(v.Session); session != "" {
			return value(v.Project), session
		}
		project = cmp.Or(project, value(v.Project))
	}
	return project, ""
}

// Answer returns the JSON that hooks of several agents print, with a line end. The client shows the text person to the person, and
// passes the text context to the model. native is the client's name of the hook. Empty texts are omitted.
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

// HookMeaning sets the fields of a hook as Dialect.Meaning does, for hooks in the form of Claude Code, which other clients have too.
// toolCall does the same for hooks of tool calls.
func HookMeaning(h *events.Hook, p *Payload, toolCall func(*events.Hook, *Payload) []Member) []Member {
	switch h.Kind {
	case events.SessionStart:
		if h.Source == "compact" {
			h.Kind = events.ContextRestart
		}
		p.DropText("source", "model")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		// A subagent's prompt is the task from its parent.
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = words, h.Lane != "" || ByMachine(words)
		return around
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		p.DropText("trigger")
		h.Text = p.Text("custom_instructions")
	case events.CompactEnd:
		p.DropText("trigger")
		h.Text = p.Text("compact_summary")
	case events.TurnEnd, events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
	case events.TurnFail:
		h.Reason, h.Text = p.Text("error"), p.Text("error_details")
	}
	return nil
}

// HookAnswer returns a text for its recipient in the form of Answer, as Dialect.Answer does. toModel lists the hooks whose context the
// model reads. The person reads the messages of all hooks.
func HookAnswer(h events.Hook, to, text string, toModel []string) []byte {
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

// ModelAnswer returns a Dialect.Answer for a client whose model reads a member of the output of some hooks, and which shows the
// person nothing.
func ModelAnswer(member string, hooks ...string) func(h events.Hook, to, text string) []byte {
	return func(h events.Hook, to, text string) []byte {
		if to != wire.ToModel || !slices.Contains(hooks, h.Native) {
			return nil
		}
		return memberAnswer(member, text)
	}
}

// PluginAnswer is a Dialect.Answer for our plugins: they pass the member "person" to the person, and "context" to the model.
func PluginAnswer(_ events.Hook, to, text string) []byte {
	if to == wire.ToPerson {
		return memberAnswer("person", text)
	}
	return memberAnswer("context", text)
}

// memberAnswer returns an object with one text and a line end, nil for an empty text.
func memberAnswer(name, text string) []byte {
	if text == "" {
		return nil
	}
	b, _ := json.Marshal(map[string]string{name: text}) // strings always encode
	return append(b, '\n')
}

// Join merges two answers, which are JSON objects that have members, but no common one. If one answer is no text, it returns the other.
// If one is not an object, it returns a.
func Join(a, b []byte) []byte {
	first, second := bytes.TrimSpace(a), bytes.TrimSpace(b)
	switch {
	case len(second) == 0:
		return a
	case len(first) == 0:
		return b
	case !bytes.HasSuffix(first, []byte("}")) || !bytes.HasPrefix(second, []byte("{")):
		return a
	}
	return slices.Concat(first[:len(first)-1], []byte(","), second[1:], []byte("\n"))
}
