package cli

import "github.com/spf13/cobra"

// A topic of the help: it runs nothing.
var _ = Verb("", func(*App) *cobra.Command {
	return &cobra.Command{
		Use:   "words",
		Short: "what compound, port, lane, flow, stock and such mean",
		Long: `The words that the commands, the texts and the projections use:

  agent       a program that works with a model and calls the journal's hooks
  session     one conversation with an agent, by the id that the agent gave it
  compaction  the agent replaces a context that is full by a summary
  lane        a line of work within a session: the main thread, or a subagent
  project     the directory that a session works in, as a key: name-1afbf223
  event       what happened, typed and numbered (#42); the log is all of them
  projection  a state that is folded from events: todos, files, decisions …
  owner       the process that owns the log in the background, one at a time
  spool       events that wait in files until an owner takes them into the log
  echo        a second report of one fact, by a hook that is wired twice
  port        a unit of work with a checklist, which may wait for other ports
  phase       where a skill's workflow stands: step, output, what is next
  flow        working notes of a session: progress, plans, learnings
  stock       lasting knowledge that was promoted out of the flow
  compound    the promotion of working notes (flow) to knowledge (stock)
  promoted    what a compound took over; only evidence makes it so
  recovery    the text that gives an agent back what a compaction may have lost`,
	}
})
