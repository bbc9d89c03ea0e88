package agent

import (
	"github.com/google/jsonschema-go/jsonschema"

	"journal/cmd/journal/cli"
)

// tools are the tools of the MCP server.
var tools = []tool{
	{
		Name:        "audit",
		Description: "Shows what each compaction of the session lost, most valuable first, and the evidence that the rest was kept.",
		Flags:       []string{"compaction", "lost", "session"},
		Reads:       true,
		Limit:       20 << 10,
	},
	{
		Name:        "compound",
		Description: "Shows the working notes that no compound has reviewed, or records that they were promoted to learnings.",
		Actions:     []string{"show", "done"},
		Args:        []arg{{Name: "entries", About: "done: ids of the notes that were promoted", Items: &jsonschema.Schema{Type: "string"}}},
		Flags:       []string{"promoted", "session"},
	},
	{
		Name: "decide",
		Description: `Records a decision of the project, as it is made: what was chosen, and why. It is restored after a compaction and in later
sessions. Set replaces if it replaces an earlier one; set retract, with the reason as text, to take one back.`,
		Args:  []arg{{Name: "text", About: "the decision and its reason, in a sentence or two"}},
		Flags: []string{"replaces", "retract", "session"},
	},
	{
		Name:        "note",
		Description: "Records something learned that later work needs: a working note, which waits to be promoted to learnings.",
		Args:        []arg{{Name: "text", About: "what was learned"}},
		Flags:       []string{"heading", "session"},
	},
	{
		Name:        "phase",
		Description: "Records where a workflow in phases (a skill) stands, so that it goes on there after a compaction.",
		Actions:     []string{"enter", "complete", "next", "finish", "discard", "continue", "show"},
		Flags:       []string{"skill", "phase", "name", "summary", "output", "input", "next", "from", "session"},
	},
	{
		Name:        "port",
		Description: "Records units of work with checklists, and their progress. They belong to the project: every session sees them.",
		Actions:     []string{"define", "start", "tick", "block", "complete", "show"},
		Args:        []arg{{Name: "id", About: "of the port, a short word; without it show lists all"}, {Name: "text", About: "tick: the item of the checklist"}},
		Flags:       []string{"title", "item", "after", "force", "undo", "add", "reason", "session"},
	},
	{
		Name: "recover",
		Description: `Returns what is known of this session, or of the one that session names: open tasks, decisions, files, the plan, failures,
requests. Use it when you do not know what happened before, and to continue a session of another agent. If team names a
member, session must be one of that member's sessions, as listed when this session started.`,
		Flags: []string{"session", "lang", "seq", "team"},
		JSON:  "agent-json",
		Reads: true,
	},
	{
		Name: "recall", Verb: "search",
		Description: `Finds what was said, decided, run, noted and what failed in this project, in this session or earlier ones. Ask a question, or give
words: events with every word come first, else the sessions with most of them, each with its best passages. "several words" in quotes
must stand together. show takes the number after #.`,
		Args:  []arg{{Name: "text", About: "a question, or the words to look for"}},
		Flags: []string{"type", "since", "limit", "session"},
		Reads: true,
		Limit: 20 << 10,
	},
	{
		Name: "restore",
		Description: `Returns what compactions lost, word for word: with lost everything worth keeping, else the given items, which audit names.
Without either it lists the working notes that are in no file any more.`,
		Args:  []arg{{Name: "items", About: "ids that audit names, such as todo-9.2", Items: &jsonschema.Schema{Type: "string"}}},
		Flags: []string{"lost", "session"},
		Reads: true,
		Limit: 20 << 10,
	},
	{
		Name:        "show",
		Description: "Returns whole events of the journal, by the numbers that recall and recovery texts name; with around also what came before and after.",
		Args:        []arg{{Name: "numbers", About: "of the events", Items: schemaOf(new(cli.Ordinal))}},
		Flags:       []string{"around"},
		Reads:       true,
		Limit:       60 << 10,
	},
}
