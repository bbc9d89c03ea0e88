package team

import (
	"slices"
	"time"
)

// decisions keeps what others have decided, as far as it was asked for. With the longest texts the file
// stays below what is read of one.
var decisions = cachedList[Decision]{name: "decisions.json", most: 200}

// KnownName is the file of the team's directory that keeps what others tell (package facts).
const KnownName = "known.json"

// Decision is what somebody else decided in a repository that is a project of this log too, and what
// still held when the hub was asked last.
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

// Day is when it was made, in UTC.
func (d Decision) Day() string { return time.Unix(0, d.At).UTC().Format(time.DateOnly) }

// LoadDecisions returns what others have decided in a project, newest first, as long as this device has
// chosen to hear of it. It reads one file and asks nobody.
func LoadDecisions(journal, project string) ([]Decision, error) {
	share, err := LoadShare(journal)
	if err != nil || !Decisions.Has(share, project) {
		return nil, err
	}
	all, err := KnownDecisions(journal)
	return slices.DeleteFunc(all, func(d Decision) bool { return d.Project != project }), err
}

// KnownDecisions returns those of all projects.
func KnownDecisions(journal string) ([]Decision, error) { return decisions.load(journal) }

// SaveDecisions replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveDecisions(journal string, all []Decision) error { return decisions.save(journal, all) }
