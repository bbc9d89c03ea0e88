// Package transcript has the common parts of coding agents' transcripts: the steps of a transcript, the list of declared formats,
// and the plan of an import, which finds the steps that the log lacks.
//
// A format turns the rows of a session's transcript into the payloads that the client would have sent to its hooks. The dialect of
// the hooks reads them, so tools, redaction and limits are the same (J.5). The format is in the agent's package.
//
// Glossary:
//
//   - row: one entry of a transcript, usually a line.
//   - step: the events of a row, as one hook would have reported them.
//   - thread: the main thread, or a subagent; each is a lane of the session.
//   - stretch: consecutive steps.
package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/wire/client"
)

// Step holds the events of a row, as one hook would have reported them.
type Step struct {
	Report agents.Report
	// Row is the id of the step's row, and What distinguishes the step from others of that row. Both are the same whenever the
	// row is read, in any file.
	Row, What string
	// Sure is set if hooks of every version of the agent report such a step: a prompt of a person, a successful tool
	// call. If the log lacks another step, hooks may have been called all the same.
	Sure bool
	// Unhooked is set if no hook reports such a step: a call that the client itself refused before it ran, or a command
	// that the person stopped.
	Unhooked bool
	// Rewind is the part of the conversation that the step takes back, nil if it is no rewind.
	Rewind *Rewind
	// After is the occurrence key of the hook's report that the step completes, "" if it is complete by itself.
	After string
	// Late has the facts that a hook omits from this step, nil if it omits none. An import adds it if a hook reported the step.
	Late *Step
}

// IDs derives the ids of a step's n events (J.5). The same row has the same ids in every file, so that rows copied by a fork are
// imported once. The ids of a session's start and of broken rows differ in each session.
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

// Events returns the envelopes of a step's events, in a session of a project. The first event is the cause of the others.
func (s Step) Events(session, project string, list ...events.Event) ([]events.Envelope, error) {
	meta := client.MetaOf(s.Report.Hook, s.Report.Key, project)
	meta.Session = session
	all, err := client.Report(meta, s.Report.Hook.Rest, list...)
	for i, id := range s.IDs(len(all)) {
		all[i].ID, all[i].Cause = id, ""
		if i > 0 {
			all[i].Cause = all[0].ID
		}
	}
	return all, err
}

// callsKept bounds the number of calls in Calls. A result follows its call within one answer; an interrupted call has no result.
const callsKept = 512

// Calls holds the tool calls of a transcript that have no result yet, by their ids, oldest first. The zero value is ready;
// it is not safe for concurrent use.
type Calls[T any] struct {
	byID  map[string]T
	order []string
}

// Put adds a call. If there are callsKept calls, the oldest is removed.
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

// Has reports whether there is a call with an id.
func (c *Calls[T]) Has(id string) bool {
	_, ok := c.byID[id]
	return ok
}

// Take removes a call and returns it. The result is false if there is none.
func (c *Calls[T]) Take(id string) (T, bool) {
	call, ok := c.byID[id]
	delete(c.byID, id)
	return call, ok
}

// Each yields the calls, newest first.
func (c *Calls[T]) Each(yield func(T) bool) {
	for _, id := range slices.Backward(c.order) {
		if call, ok := c.byID[id]; ok && !yield(call) {
			return
		}
	}
}

// Rest removes all calls and returns them, oldest first.
func (c *Calls[T]) Rest() (all []T) {
	for _, id := range c.order {
		if call, ok := c.Take(id); ok {
			all = append(all, call)
		}
	}
	c.order = nil
	return all
}

// Context is the context after one compaction, as the agent's transcript shows it. It proves that a text reached the model; the
// log proves only that journal printed the text.
type Context struct {
	Boundary string   // the transcript's id of the compaction
	Texts    []string // whole texts that hooks added to the context
	Spilled  []Spill  // texts of hooks that the client moved into a file
	Prompts  []string // prompts whose messages the client kept unchanged
	Uses     []string // ids of tool calls whose messages the client kept
	Files    []string // paths of files that the client loaded into the context again
}

// Spill is a text that was too long for the context.
type Spill struct {
	Path    string // the file with the whole text
	Preview string // the beginning of the text, which the model sees
}

// PlainID reports whether an id can be part of a file name: letters, digits, - and _.
func PlainID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Watcher reads the rows of one transcript in order, as they are written, and finds facts that no hook reports, such as refused
// calls, interrupted turns and the person's own commands. Its steps have the ids that an import derives from the same rows. It is
// not safe for concurrent use.
type Watcher interface {
	// Parse reads one row, keeps no part of it, and returns its steps.
	Parse(row []byte) []Step
	// Restarted records that the client has a new process. It returns the steps of the calls that ran when the previous process
	// ended.
	Restarted() []Step
	// Since makes the watcher skip rows written before a time, which the session copied from another one. The zero time skips
	// none.
	Since(began time.Time)
	// Context returns the context after the newest compaction, and the number of rows that have shown something of any context;
	// 0 means no compaction.
	Context() (newest Context, shown int)
	// LastWords returns the agent's last words since the newest prompt. It is false until a row has a prompt or words.
	LastWords() (Words, bool)
}
