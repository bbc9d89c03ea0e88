package projections

import (
	"path"
	"slices"

	"journal/events"
)

// ClearedState describes the parts of the context that the client dropped without a compaction. The fields from Seq to Gone count
// from the last notice about drops, or from the last compaction.
type ClearedState struct {
	Count int    `json:"count"`         // how often the client dropped a part since the lane began
	Seq   uint64 `json:"seq,omitempty"` // the newest drop, 0 for none
	// Freed is the number of dropped tokens, and Results the number of dropped results of tools. Gone lists the dropped results
	// of commands and reads, oldest first. It leaves out a command that the agent had run again before the drop, and a file of which
	// the agent had read any part again.
	Freed   int64        `json:"freed_tokens,omitempty"`
	Results int          `json:"results,omitempty"`
	Gone    []ToolResult `json:"gone,omitempty"`

	Calls List[ToolResult] `json:"-"` // every command and read with the id of its call, oldest first
}

// ToolResult is the result of a command, or the content of a file that was read.
type ToolResult struct {
	Seq    uint64 `json:"seq"`
	What   string `json:"what"` // the command, or the name of the file
	Read   bool   `json:"read,omitempty"`
	Failed bool   `json:"failed,omitempty"` // the command failed
	Use    string `json:"-"`                // id of the tool call
	Path   string `json:"-"`                // of the file that was read, empty for a command
}

// Clearings records the parts of the context that the client dropped without a compaction.
var Clearings = Declare("cleared", 1, Lane, "parts of the context that the client dropped without a compaction, until a notice",
	On(func(s ClearedState, e events.CommandRan, at At) ClearedState {
		return s.called(ToolResult{Seq: at.Seq, What: e.Command, Failed: e.Failed || e.Mark != "", Use: e.Use})
	}),
	On(func(s ClearedState, e events.FileRead, at At) ClearedState {
		return s.called(ToolResult{Seq: at.Seq, What: path.Base(Slashed(e.Path)), Read: true, Use: e.Use, Path: e.Path})
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

// called adds a result. It ignores a result without the id of its call, because no event can report that it was dropped.
func (s ClearedState) called(r ToolResult) ClearedState {
	if r.Use != "" {
		s.Calls = s.Calls.Append(r)
	}
	return s
}

// noticed returns the state after a notice about drops or a compaction: only Count and Calls stay.
func (s ClearedState) noticed() ClearedState { return ClearedState{Count: s.Count, Calls: s.Calls} }

// cleared adds the results that were dropped, except those that Gone leaves out.
func (s ClearedState) cleared(e events.ContextCleared, at At) ClearedState {
	s.Count, s.Seq, s.Freed, s.Results = s.Count+1, at.Seq, s.Freed+e.Freed, s.Results+len(e.Uses)
	uses, seen := map[string]bool{}, map[ToolResult]bool{}
	for _, use := range e.Uses {
		uses[use] = true
	}
	var results []ToolResult
	for r := range s.Calls.Backward() {
		if len(uses) == 0 {
			break
		}
		call := ToolResult{What: r.What, Read: r.Read, Path: r.Path}
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
