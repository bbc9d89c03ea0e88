package cli

import "github.com/spf13/cobra"

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return NewCommand("words", "what compound, port, lane, flow, stock and such mean",
		`The words that the commands, the texts and the projections use:

  agent       a program that works with a model and calls the journal's hooks
  session     one conversation with an agent, by the id that the agent gave it
  compaction  the agent replaces a full context by a summary
  lane        a line of work within a session: the main lane, or a subagent
  project     the directory that a session works in, as a key: name-1afbf223
  event       one thing that happened, typed and numbered (#42); they form the log
  projection  a state computed (folded) from events: todos, files, decisions …
  owner       the one process that owns the log, in the background
  spool       files in which events wait until an owner takes them into the log
  echo        a second report of one fact, by a hook that is wired twice
  port        a unit of work with a checklist, which may wait for other ports
  phase       where a skill's workflow stands: step, output, what is next
  flow        working notes of a session: progress, plans, learnings
  stock       learnings that were promoted from the flow
  compound    the promotion of working notes (flow) to knowledge (stock)
  promoted    taken into the stock by a compound, as evidence shows
  recovery    the text that gives an agent back what a compaction may have lost`, nil)
})

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return NewCommand("times", "how flags take a time, a day or a point in a session",
		`Every flag for a time takes the same forms:

  2h, 90m, 3d, 1w        that long ago
  today, yesterday       the whole day
  monday, mon            the last such day, today included
  14:00                  the last such time, today or yesterday
  2026-11-20             the whole day
  "2026-11-20 14:00"     local time
  2026-11-20T14:00:00Z   a time in any zone (RFC 3339)

Of a whole day --since means the beginning, --until and --at the end.

--at of replay and recover, and each end of replay --diff, also take a point in a session:

  #120                   up to and including event 120
  before-compaction      before the newest compaction
  before-compaction:2    before the second one of the session

Times are shown in local time; --json has UTC.`, nil)
})
