// Package transcript has what is common to the transcripts of coding agents: the
// steps that they are read as, the register of their formats, and the plan of an
// import, which says which steps the log lacks.
//
// A format turns the transcript of an agent's session into what its hooks would have
// said: each fact becomes the payload of a hook and goes through the dialect that
// hooks go through, so that there is one reading of tools, one redaction and one set
// of limits (J.5). It stands in the agent's package.
//
// Glossary:
//
//   - row: one entry of a transcript, a line as a rule.
//   - step: what one hook would have said.
//   - thread: the main thread, or a subagent; each is a lane of the session.
//   - stretch: steps that follow each other and that the log holds, or lacks.
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

// Step is what one hook would have said.
type Step struct {
	Report agents.Report
	// Row is the id of the row that it was read from, and What tells it from the
	// other steps of that row. Both are the same whenever the row is read, in
	// whatever file.
	Row, What string
	// Sure says that hooks of every version of the agent tell such a step: a prompt
	// of a person, a tool call that succeeded. Of the others nothing follows from
	// their absence.
	Sure bool
	// Unhooked says that no hook tells such a step: a call that the client refused by itself before it ran, or a
	// command that the person stopped.
	Unhooked bool
	// After is the occurrence key of the hook's report that the step adds to, and without
	// which it is nothing. Empty for most.
	After string
	// Late is what hooks leave out of the step, as a step of its own: an import adds it
	// where a hook told the rest. Nil for most.
	Late *Step
}

// IDs derives the ids of a step's n events (J.5): the same row gives the same ids
// whatever file it stands in, so that rows which a fork took over are imported once.
// Only the beginning of a session belongs to one session.
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

// Events makes the events of what a step tells, for a session of a project: the first is the cause
// of the others.
func (s Step) Events(session, project string, told ...events.Event) ([]events.Envelope, error) {
	about := client.MetaOf(s.Report.Hook, s.Report.Key, project)
	about.Session = session
	all, err := client.Report(about, s.Report.Hook.Rest, told...)
	for i, id := range s.IDs(len(all)) {
		all[i].ID, all[i].Cause = id, ""
		if i > 0 {
			all[i].Cause = all[0].ID
		}
	}
	return all, err
}

// callsKept bounds the tool calls whose results are due. A result follows its call
// within an answer; a call that was interrupted has none.
const callsKept = 512

// Calls are the tool calls of a transcript without a result yet, by their ids, oldest
// first. The zero value is ready; it is not safe for concurrent use.
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

// Take gives a call, and forgets it.
func (c *Calls[T]) Take(id string) (T, bool) {
	call, ok := c.byID[id]
	delete(c.byID, id)
	return call, ok
}

// Each gives the calls that are left, newest first, and keeps them.
func (c *Calls[T]) Each(yield func(T) bool) {
	for _, id := range slices.Backward(c.order) {
		if call, ok := c.byID[id]; ok && !yield(call) {
			return
		}
	}
}

// Rest gives the calls that are left, oldest first, and forgets them.
func (c *Calls[T]) Rest() (all []T) {
	for _, id := range c.order {
		if call, ok := c.Take(id); ok {
			all = append(all, call)
		}
	}
	c.order = nil
	return all
}

// Context is what an agent's transcript shows of the context that one compaction
// left. Only this proves that a text arrived: our own record proves that it was
// printed.
type Context struct {
	Boundary string   // the transcript's own id of the compaction
	Texts    []string // what hooks added to the context, whole
	Spilled  []Spill  // what they added and the agent moved into a file
	Prompts  []string // prompts whose messages the agent kept as they were
	Uses     []string // tool calls whose messages it kept
	Files    []string // files that it read again into the context
}

// Spill is a text that was too long for the agent.
type Spill struct {
	Path    string // of the file that holds all of it
	Preview string // its beginning, which the model sees
}

// PlainID says whether an id can be a part of a file's name: letters, digits, - and _.
func PlainID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Watcher takes the rows of one transcript in their order, as they are written, and
// finds what no hook tells: calls that the person refused, turns that they
// interrupted, commands that they ran themselves, prompts that old clients hold back
// while a turn runs. Its steps have the ids that an import derives from the same rows.
// It is not safe for concurrent use.
type Watcher interface {
	// Take takes one row, keeps nothing of it, and gives its steps.
	Take(row []byte) []Step
	// Restarted says that the client's process is a new one, and gives the steps of what ran when the one before ended.
	Restarted() []Step
	// Since makes it pass over rows that were written before a moment: those that the
	// session took over from another. The zero time is none.
	Since(began time.Time)
	// Context is what the rows show of the context after the newest compaction, and
	// how many rows have told something of contexts; 0 is no compaction.
	Context() (newest Context, told int)
	// Said gives what the agent said last since the newest prompt. It is false while no row tells of
	// either.
	Said() (Words, bool)
}

// Words are what an agent said last since the newest prompt.
type Words struct {
	Row   string // that tells them, or the prompt
	Turn  string // as hooks name it, empty where rows do not
	Text  string // empty when nothing was said since
	Calls int    // of tools, since then
	Call  string // the newest that has not ended: the command, or the tool and what it works on
}
