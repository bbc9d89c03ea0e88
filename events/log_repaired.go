package events

// LogRepaired ends what a rebuild of a damaged store could save: from here on
// the log is a new epoch, with the sequences of the old one (ADR-0012 rule 3).
type LogRepaired struct {
	Epoch    int    `json:"epoch"`               // of the log from here on
	Reason   string `json:"reason"`              // why the store was rebuilt
	Suspect  string `json:"suspect"`             // name of the directory, beside the store, that the damaged one was renamed to
	Archived uint64 `json:"archived,omitempty"`  // records that came from the archive
	Gaps     uint64 `json:"gaps,omitempty"`      // records that are lost; log.gap stands in their places
	LostTail uint64 `json:"lost_tail,omitempty"` // records that were remembered behind the last one saved; their sequences are used again
}

func (LogRepaired) event() {}

var _ = declare("log.repaired", "a damaged store was rebuilt", lasting[LogRepaired](), reserved[LogRepaired]())
