// Package transcript has the common parts of coding agents' transcripts: the steps that they are read as, the register
// of their formats, and the plan of an import, which finds the steps that the log lacks.
//
// A format turns the transcript of a session into what its hooks would have said. Each fact becomes a hook's payload
// and goes through the hooks' dialect: one reading of tools, one redaction, one set of limits (J.5). It is in the
// agent's package.
//
// Glossary:
//
//   - row: one entry of a transcript, usually a line.
//   - step: what one hook would have said.
//   - thread: the main thread, or a subagent; each is a lane of the session.
//   - stretch: consecutive steps that the log has, or lacks.
package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents"
	"journal/journal/wire/client"
)

// Step holds the events of a row, as one hook would have reported them.
type Step struct {
	Report agents.Report
	// Row is the id of the row behind the step, and What distinguishes the step from others of that row. Both are the
	// same whenever the row is read, in any file.
	Row, What string
	// Sure is set if hooks of every version of the agent report such a step: a prompt of a person, a successful tool
	// call. The absence of other steps proves nothing.
	Sure bool
	// Unhooked is set if no hook reports such a step: a call that the client itself refused before it ran, or a command
	// that the person stopped.
	Unhooked bool
	// Rewind is the part of the conversation that the step takes back. Nil for others.
	Rewind *Rewind
	// After is the occurrence key of the hook's report that the step completes; the step is meaningless without that
	// report. Empty for most.
	After string
	// Late has what hooks omit from the step, as a step of its own: an import adds it if a hook reported the rest. Nil
	// for most.
	Late *Step
}

// IDs derives the ids of a step's n events (J.5). The same row has the same ids in every file, so that rows copied by
// a fork are imported once. Only the beginning of a session belongs to one session.
func (s Step) IDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		words := []string{"transcript", s.Row, s.What, strconv.Itoa(i)}
		if s.Row == "" || s.Report.Hook.Kind == events.SessionStart || s.Report.Hook.Broken != "" {
			words = append(words, s.Report.Hook.Session)
		}
		ids[i] = events.DerivedID(words...)
	}
	return ids
}

// Events returns the envelopes of a step's events, for a session of a project: the first is the cause of the others.
func (s Step) Events(session, project string, own ...events.Event) ([]events.Envelope, error) {
	about := client.MetaOf(s.Report.Hook, s.Report.Key, project)
	about.Session = session
	all, err := client.Report(about, s.Report.Hook.Rest, own...)
	for i, id := range s.IDs(len(all)) {
		all[i].ID, all[i].Cause = id, ""
		if i > 0 {
			all[i].Cause = all[0].ID
		}
	}
	return all, err
}

// callsKept bounds the calls that wait for results. A result follows its call within an answer; an interrupted call has
// none.
const callsKept = 512

// Calls holds the tool calls of a transcript without a result yet, by their ids, oldest first. The zero value is ready;
// it is not safe for concurrent use.
type Calls[T any] struct {
	byID  map[string]T
	order []string
}

// Put keeps a call until it is taken, or many others came.
func (c *Calls[T]) Put(id string, call T) {
	if c.byID == nil {
		c.byID = map[string]T{}
	}
	if len(c.order) == callsKept {
		delete(c.byID, c.order[0])
		c.order = c.order[1:]
	}
	c.byID[id] = call
	c.order = append(c.order, id)
}

// Has reports whether a call is kept.
func (c *Calls[T]) Has(id string) bool {
	_, ok := c.byID[id]
	return ok
}

// Take removes a call and returns it.
func (c *Calls[T]) Take(id string) (T, bool) {
	call, ok := c.byID[id]
	delete(c.byID, id)
	return call, ok
}

// Each yields the remaining calls, newest first, and keeps them.
func (c *Calls[T]) Each(yield func(T) bool) {
	for _, id := range slices.Backward(c.order) {
		if call, ok := c.byID[id]; ok && !yield(call) {
			return
		}
	}
}

// Rest removes the remaining calls and returns them, oldest first.
func (c *Calls[T]) Rest() (all []T) {
	for _, id := range c.order {
		if call, ok := c.Take(id); ok {
			all = append(all, call)
		}
	}
	c.order = nil
	return all
}

// Context is the context after one compaction, as far as the agent's transcript shows it. Only this proves that a text
// arrived: our own record proves that it was printed.
type Context struct {
	Boundary string   // the transcript's own id of the compaction
	Texts    []string // whole texts that hooks added to the context
	Spilled  []Spill  // texts that the agent moved into a file
	Prompts  []string // prompts whose messages the agent kept unchanged
	Uses     []string // tool calls whose messages it kept
	Files    []string // files that it reloaded into the context
}

// Spill is a text that was too long for the agent.
type Spill struct {
	Path    string // of the file with the whole text
	Preview string // its beginning, which the model sees
}

// PlainID reports whether an id can be part of a file name: letters, digits, - and _.
func PlainID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Watcher reads the rows of one transcript in order, as they are written, and finds what no hook reports: refused
// calls, interrupted turns, the person's own commands, and prompts that old clients hold back while a turn runs. Its
// steps have the ids that an import derives from the same rows. It is not safe for concurrent use.
type Watcher interface {
	// Parse reads one row, keeps no part of it, and returns its steps.
	Parse(row []byte) []Step
	// Restarted reports that the client has a new process, and returns the steps of what ran when the previous one ended.
	Restarted() []Step
	// Since makes it skip rows written before a time: those that the session copied from another. The zero time skips
	// none.
	Since(began time.Time)
	// Context returns what the rows show of the context after the newest compaction, and how many rows have shown
	// something of contexts; 0 means no compaction.
	Context() (newest Context, shown int)
	// Said returns the agent's last words since the newest prompt. It is false until a row has either.
	Said() (Words, bool)
}

// Words are an agent's last words since the newest prompt, as the transcript has them: neither redacted nor cut.
type Words struct {
	Row   string // the row of the words, or of the prompt
	Turn  string // as hooks name it, empty if rows do not
	Text  string // empty if nothing was said since
	Calls int    // tool calls since then
	// Thought is the model's newest reasoning after Text, empty if the client stores none, and ThoughtCalls the number of
	// tool calls since.
	Thought      string
	ThoughtCalls int
	// Result is what the newest call after Text returned, and ResultOf that call, which Command says is a command. Both are
	// empty for calls whose results stand elsewhere: files read and written, failures, the agent's own lists.
	Result, ResultOf string
	Command          bool
	// Before are the words before Text, and Findings earlier words and reasoning that say what the agent found out, oldest
	// first.
	Before   string
	Findings []string
	Acted    int    // how many of them, the oldest, were said before a file was written
	Open     []Open // the newest unfinished calls, newest first

	acted struct{ text, before, thought bool } // said before a file was written
	kept  bool                                 // Text is among Findings
}

// Then returns the agent's next words of the same turn. It keeps earlier ones that say a finding.
func (w Words) Then(row, turn, words string) Words {
	w.settle()
	if w.Text != "" && !w.kept {
		w.add(w.Before, w.acted.before)
		w.Before, w.acted.before = w.Text, w.acted.text
	}
	next := Words{Row: row, Turn: turn, Text: words, Before: w.Before, Findings: w.Findings, Acted: w.Acted}
	next.acted.before = w.acted.before
	return next
}

// add keeps words that say a finding. The first finding of a turn stays, since it often answers the request.
func (w *Words) add(words string, acted bool) {
	if !agents.IsFinding(words) {
		return
	}
	if len(w.Findings) == agents.MaxFindings && w.Acted > 1 {
		w.Acted--
	}
	w.Findings = agents.AddFinding(w.Findings, words)
	if acted {
		w.Acted = len(w.Findings)
	}
}

// settle drops the reasoning, and keeps it among the findings if it is one, behind the words before it.
func (w *Words) settle() {
	if agents.IsFinding(w.Thought) {
		w.add(w.Before, w.acted.before)
		w.Before = ""
		if !w.kept && agents.IsFinding(w.Text) {
			w.add(w.Text, w.acted.text)
			w.kept = true
		}
		w.add(w.Thought, w.acted.thought)
	}
	w.Thought, w.ThoughtCalls, w.acted.thought = "", 0, false
}

// Called counts a call of a tool.
func (w *Words) Called(tool string) {
	w.Calls++
	w.ThoughtCalls++
	if slices.Contains(writing, strings.ToLower(tool)) {
		w.Acted = len(w.Findings)
		w.acted.text, w.acted.before, w.acted.thought = true, true, true
	}
}

// writing lists the tools of the agents that write files.
var writing = strings.Fields("edit write multiedit notebookedit apply_patch write_file replace create str_replace patch")

// maxKept bounds reasoning and results in bytes. Longer ones are not kept: they are redacted whole before they are cut.
const maxKept = 64 << 10

// Think keeps the model's reasoning after its words.
func (w *Words) Think(reasoning string) {
	if reasoning = strings.TrimSpace(reasoning); reasoning != "" && len(reasoning) <= maxKept {
		w.settle()
		w.Thought, w.ThoughtCalls = reasoning, 0
	}
}

// Return keeps what a call returned.
func (w *Words) Return(call, result string, command bool) {
	w.ResultOf, w.Result, w.Command = "", "", command
	if result = strings.TrimRight(result, " \t\r\n"); result != "" && len(result) <= maxKept {
		w.ResultOf, w.Result = call, result
	}
}

// Bounds of words that say little without the ones before them ("Let me check the order:"), and of those before them
// that say nothing, in UTF-16 units.
const (
	shortText = 160
	minWords  = 40
)

// Found returns the findings of the turn before its last words, oldest first, and how many of them, the oldest, were said
// before a file was written.
func (w Words) Found() (findings []string, acted int) {
	w.add(w.Before, w.acted.before)
	if short := text.Units(w.Text) < shortText && text.Units(w.Before) >= minWords; short && !agents.IsFinding(w.Before) {
		w.Findings = append(slices.Clip(w.Findings), w.Before)
	}
	if i := slices.Index(w.Findings, w.Text); w.kept && i >= 0 {
		w.Findings = slices.Delete(slices.Clone(w.Findings), i, i+1)
		if i < w.Acted {
			w.Acted--
		}
	}
	return w.Findings, w.Acted
}

// Open is an unfinished call.
type Open struct {
	Call string // the command, or the tool and its target
	// Ends are the occurrence keys of a hook that reports its end, which the file may not have yet.
	Ends []string
}
