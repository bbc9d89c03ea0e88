package events

import "errors"

// RestoreRequested says that a person wants the agent to have back what a
// compaction took: it is given with the next prompt of the lane, and recorded as
// a notice then.
type RestoreRequested struct {
	Items []string `json:"items,omitempty"` // kind-seq[.n], as an audit names them
	Text  string   `json:"text"`            // markdown
}

func (RestoreRequested) event() {}

func (r RestoreRequested) validate() error {
	if r.Text == "" {
		return errors.New("text is required")
	}
	return nil
}

var _ = declare("restore.requested", "a person wants the agent to have something back", appendable[RestoreRequested]())
