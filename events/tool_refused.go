package events

import "cmp"

// ToolRefused says that the person did not want a tool call. It is no failure of
// the tool. Most clients call no hook for it; their transcripts tell.
type ToolRefused struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // the command or the file
	Words  string `json:"words,omitempty"`  // what the person said, empty when they said nothing
	Use    string `json:"use,omitempty"`
}

func (ToolRefused) event() {}

var _ = declare("tool.refused", "the person refused a tool call",
	from(func(h Hook) (ToolRefused, bool) {
		if h.Kind != ToolEnd || !h.Tool.Refused {
			return ToolRefused{}, false
		}
		t := h.Tool
		r := ToolRefused{Tool: t.Name, Target: cmp.Or(t.Command, t.File), Words: t.Words, Use: t.Use}
		if len(t.Paths) > 0 {
			r.Target = cmp.Or(r.Target, t.Paths[0])
		}
		return r, true
	}),
)
