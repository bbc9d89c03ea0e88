package claude

import (
	"bytes"
	"crypto/sha256"

	"journal/journal/agents/transcript/jsonl"
)

// Tasks knows the types of subagents by the tasks that they were called with. The
// zero value knows none. It is not safe for concurrent use.
type Tasks struct{ kinds map[[sha256.Size]byte][]byte }

// note remembers a call; both are JSON texts.
func (t *Tasks) note(task, kind []byte) {
	if len(task) < 3 || len(kind) < 3 || kind[0] != '"' {
		return
	}
	if t.kinds == nil {
		t.kinds = map[[sha256.Size]byte][]byte{}
	}
	t.kinds[sha256.Sum256([]byte(jsonl.Unquote(task)))] = bytes.Clone(kind)
}

// kind gives the type of the subagent that begins with a task, nil when no call is
// known.
func (t *Tasks) kind(task []byte) []byte {
	return t.kinds[sha256.Sum256([]byte(textOf(partsOf(task))))]
}
