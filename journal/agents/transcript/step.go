// Package transcript has the common parts of coding agents' transcripts: the steps of a transcript, the list of declared formats,
// and the plan of an import, which finds the steps that the log lacks.
//
// The parser of a format turns the rows of a session's transcript into the payloads that the client would have sent to its hooks. The
// dialect of the hooks reads these payloads, so tools, redaction and limits are the same (J.5). A format is in its agent's package.
//
// Glossary:
//
//   - row: one entry of a transcript, usually a line.
//   - step: the events of a row, as one hook would have reported them.
//   - thread: the rows of one lane: of the main lane, or of a subagent.
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
	// Row is the id of the step's row, and What distinguishes the step from other steps of that row. Both are equal whenever and in
	// whichever file the row is read.
	Row, What string
	// Sure is set if hooks of every version of the agent report such a step, as a person's prompt or a successful tool call. If the
	// log lacks a step that is not sure, hooks may have been called all the same.
	Sure bool
	// Unhooked is set if no hook reports such a step, as a call that the client refused before it ran, or a command that the person
	// stopped.
	Unhooked bool
	// Rewind is the part of the conversation that the step takes back, nil if it is no rewind.
	Rewind *Rewind
	// After is the occurrence key of the hook's report that the step completes, "" if the step completes none.
	After string
	// Late is a step with the facts that a hook omits from its report of this step, nil if it omits none. If a hook reported the step,
	// an import adds the events of Late.
	Late *Step
}

// IDs derives the ids of a step's n events (J.5). The ids of one row are the same in every file, so that rows copied by a fork are
// imported once. Only the ids of a session's start, of broken rows, and of steps without a row differ in each session.
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

// callsKept bounds the number of ids in Calls.order. A result follows its call within one answer; an interrupted call has no result.
const callsKept = 512

// Calls holds the tool calls of a transcript that have no result yet, by their ids. The zero value is ready. It is not safe for
// concurrent use.
type Calls[T any] struct {
	byID  map[string]T
	order []string // ids in the order of their last Put, oldest first, each once, also of calls that were taken
}

// Put adds a call, or replaces the one with this id. It removes the one with the id that was put callsKept calls before.
func (c *Calls[T]) Put(id string, call T) {
	if c.byID == nil {
		c.byID = map[string]T{}
	}
	c.order = slices.DeleteFunc(c.order, func(known string) bool { return known == id })
	if len(c.order) == callsKept {
		delete(c.byID, c.order[0])
		c.order = c.order[1:]
	}
	c.byID[id] = call
	c.order = append(c.order, id)
}

// Get returns the call with this id, and false if there is none.
func (c *Calls[T]) Get(id string) (T, bool) {
	call, ok := c.byID[id]
	return call, ok
}

// Has reports whether there is a call with this id.
func (c *Calls[T]) Has(id string) bool {
	_, ok := c.Get(id)
	return ok
}

// Take removes a call and returns it. It returns false if there is none with this id.
func (c *Calls[T]) Take(id string) (T, bool) {
	call, ok := c.Get(id)
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

// TakeAll removes all calls and returns them, oldest first.
func (c *Calls[T]) TakeAll() (all []T) {
	for _, id := range c.order {
		if call, ok := c.Take(id); ok {
			all = append(all, call)
		}
	}
	c.order = nil
	return all
}

// Context is the context after one compaction, as the agent's transcript shows it. It can prove that a text reached the model. The log
// proves only that journal printed the text.
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

// PlainID reports whether an id can be part of a file name: it has only ASCII letters, digits, - and _, and at least one of them.
func PlainID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Watcher reads the rows of one transcript in order, as they are written, and finds facts that no hook reports, such as refused
// calls, interrupted turns and the person's own commands. Its steps have the ids that an import derives from the same rows. It is
// not safe for concurrent use.
type Watcher interface {
	// Parse reads one row, and returns the steps that no hook reports. It keeps no part of row.
	Parse(row []byte) []Step
	// Restarted records that the client has a new process. It returns the steps of the calls that ran when the previous process
	// ended.
	Restarted() []Step
	// Since makes the watcher skip rows written before a time, because the session copied them from another one. The zero time skips
	// no row.
	Since(began time.Time)
	// Context returns the context after the newest compaction, and the number of rows that have shown a part of any context. 0 rows
	// mean that there was no compaction.
	Context() (newest Context, shown int)
	// LastWords returns the agent's last words since the newest prompt. It returns false before the first row with a prompt or words.
	LastWords() (Words, bool)
}
