package claude

import (
	"io"

	"journal/journal/agents/transcript"
)

var (
	RulesOn  = rulesOn
	IsRule   = isRule
	SameRule = sameRule
)

// NewReader reads the transcript of a session. tasks is shared by the readers of an import, because a subagent's
// transcript does not have its type; nil starts an import. progress receives byte counts, and may be nil.
func NewReader(in io.Reader, tasks subagentTypes, progress func(bytes int64)) *transcript.Reader {
	if tasks == nil {
		tasks = subagentTypes{}
	}
	return transcript.NewReader(in, rowLimits, newReader("", tasks), progress)
}
