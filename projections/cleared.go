package projections

import (
	"path"
	"slices"

	"journal/events"
)

// ClearedState describes what went from the context without a compaction since the last notice of it.
type ClearedState struct {
	Count int    `json:"count"`         // how often that happened
	Seq   uint64 `json:"seq,omitempty"` // the newest; 0 after a notice of it, or a compaction
	// Freed is the number of tokens that went. Results is the number of results among them, Gone lists those that can be
	// named, oldest first; 0 and none if only the usage shows that something went.
	Freed   int64        `json:"freed_tokens,omitempty"`
	Results int          `json:"results,omitempty"`
	Gone    []ToolResult `json:"gone,omitempty"`

	Calls List[ToolResult] `json:"-"`
}

// ToolResult is the result of a command, or of a file that was read.
type ToolResult struct {
	Seq    uint64 `json:"seq"`
	What   string `json:"what"` // the command; the name of the file
	Read   bool   `json:"read,omitempty"`
	Failed bool   `json:"failed,omitempty"` // and no later run of the same command worked
	Use    string `json:"-"`
}

// Clearings records what went from the context without a compaction.
var Clearings = Declare("cleared", 1, Lane, "what went from the context without a compaction, until the agent was told",
	On(func(s ClearedState, e events.CommandRan, at At) ClearedState {
		return s.called(ToolResult{Seq: at.Seq, What: e.Command, Failed: e.Failed || e.Mark != "", Use: e.Use})
	}),
	On(func(s ClearedState, e events.FileRead, at At) ClearedState {
		return s.called(ToolResult{Seq: at.Seq, What: path.Base(Slashed(e.Path)), Read: true, Use: e.Use})
	}),
	On(ClearedState.cleared),
	On(func(s ClearedState, e events.NoticeGiven, _ At) ClearedState {
		if e.Kind == "cleared" {
			return s.noticed()
		}
		return s
	}),
	On(func(s ClearedState, _ events.ContextRestarted, _ At) ClearedState { return s.noticed() }),
	On(func(s ClearedState, _ events.CompactionCompleted, _ At) ClearedState { return s.noticed() }),
)

func (s ClearedState) called(r ToolResult) ClearedState {
	if r.Use != "" {
		s.Calls = s.Calls.Append(r)
	}
	return s
}

func (s ClearedState) noticed() ClearedState { return ClearedState{Count: s.Count, Calls: s.Calls} }

// cleared adds the results that went, except those that the agent got again since.
func (s ClearedState) cleared(e events.ContextCleared, place At) ClearedState {
	s.Count, s.Seq, s.Freed, s.Results = s.Count+1, place.Seq, s.Freed+e.Freed, s.Results+len(e.Uses)
	uses, seen := map[string]bool{}, map[ToolResult]bool{}
	for _, use := range e.Uses {
		uses[use] = true
	}
	var results []ToolResult
	for r := range s.Calls.Backward() {
		if len(uses) == 0 {
			break
		}
		call := ToolResult{What: r.What, Read: r.Read}
		if uses[r.Use] && !seen[call] {
			results = append(results, r)
		}
		seen[call] = true
		delete(uses, r.Use)
	}
	slices.Reverse(results)
	s.Gone = slices.Concat(s.Gone, results)
	return s
}
