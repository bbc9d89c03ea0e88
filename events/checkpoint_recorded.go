package events

import "errors"

// CheckpointRecorded is a checkpoint that somebody made on purpose. Those at 80
// and 90 percent of the context and before a compaction are no events: they are
// edges that a fold derives (ADR-0027).
type CheckpointRecorded struct {
	Summary string `json:"summary"`
}

func (CheckpointRecorded) event() {}

func (c CheckpointRecorded) validate() error {
	if c.Summary == "" {
		return errors.New("summary is required")
	}
	return nil
}

var _ = declare("checkpoint.recorded", "a checkpoint made on purpose", lasting[CheckpointRecorded](), appendable[CheckpointRecorded]())
