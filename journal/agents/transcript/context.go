package transcript

import "strings"

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
