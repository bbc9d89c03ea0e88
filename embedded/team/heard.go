package team

import (
	"path/filepath"
	"slices"

	"journal/journal/disk"
	"journal/replay/recovery"
)

const (
	heardName = "heard.json"
	// maxHeard bounds each list of Heard: with the longest texts the file stays below fileBytes.
	maxHeard = 200
)

// Heard holds what others decided and left unfinished in projects of this log, as of the last look at the hub.
type Heard struct {
	Decisions  []Decision       `json:"decisions"` // newest first
	Unfinished []recovery.Offer `json:"unfinished"`
}

// Decision is a decision of somebody else that held at the last look.
type Decision struct {
	Project  string `json:"project"` // key in this log
	Member   string `json:"member"`
	Device   string `json:"device"`
	Session  string `json:"session"`
	Seq      uint64 `json:"seq"` // in the log of that device
	At       int64  `json:"at"`  // ns since 1970
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // that the person answered with it
}

// LoadHeard returns what was heard of a project, of all projects without a key. It leaves out projects whose context is not
// shared any more. It reads two files and asks nobody.
func LoadHeard(journal, project string) (Heard, error) {
	share, err := LoadShare(journal)
	if err != nil {
		return Heard{}, err
	}
	h, err := LoadFile(journal, heardName, Heard{})
	unwanted := func(key string) bool { return !share.SharesContext(key) || project != "" && key != project }
	h.Decisions = slices.DeleteFunc(h.Decisions, func(d Decision) bool { return unwanted(d.Project) })
	h.Unfinished = slices.DeleteFunc(h.Unfinished, func(o recovery.Offer) bool { return unwanted(o.Project) })
	return h, err
}

// Save replaces what was heard, and removes the file when that is nothing. It need not be durable.
func (h Heard) Save(journal string) error {
	return Keep(journal, func() error {
		if len(h.Decisions)+len(h.Unfinished) == 0 {
			return disk.Remove(filepath.Join(Dir(journal), heardName))
		}
		h.Decisions, h.Unfinished = h.Decisions[:min(len(h.Decisions), maxHeard)], h.Unfinished[:min(len(h.Unfinished), maxHeard)]
		return replaceJSON(journal, heardName, h)
	})
}
