package team

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/journal/disk"
)

// decisionsName keeps what others have decided, as far as it was asked for.
const decisionsName = "decisions.json"

// maxDecisions bounds the file: with the longest texts it stays below what is read of one.
const maxDecisions = 200

// Decision is what somebody else decided in a repository that is a project of this log too, and what
// still held when the hub was asked last.
type Decision struct {
	Project  string `json:"project"` // key in this log
	Member   string `json:"member"`
	Device   string `json:"device"`
	Copy     int    `json:"copy"` // number of the copy that it was read in
	Session  string `json:"session"`
	Seq      uint64 `json:"seq"` // in the log of that device
	At       int64  `json:"at"`  // ns since 1970
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // that the person answered with it
}

// Day is when it was made, in UTC.
func (d Decision) Day() string { return time.Unix(0, d.At).UTC().Format(time.DateOnly) }

// LoadDecisions gives what others have decided in a project, newest first, as long as this device has
// chosen to hear of it. It reads one file and asks nobody.
func LoadDecisions(journal, project string) ([]Decision, error) {
	share, err := LoadShare(journal)
	if err != nil || !share.Decides(project) {
		return nil, err
	}
	all, err := KnownDecisions(journal)
	return slices.DeleteFunc(all, func(d Decision) bool { return d.Project != project }), err
}

// KnownDecisions gives those of all projects.
func KnownDecisions(journal string) ([]Decision, error) {
	var all []Decision
	err := load(journal, decisionsName, &all)
	return all, err
}

// SaveDecisions replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveDecisions(journal string, all []Decision) error {
	path := filepath.Join(Dir(journal), decisionsName)
	if len(all) == 0 {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	b, err := json.MarshalIndent(all[:min(len(all), maxDecisions)], "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(path, append(b, '\n'), 0o600)
}

// dropDecisions removes what is known of projects whose decisions are not exchanged any more.
func (s Share) dropDecisions(journal string) error {
	all, err := KnownDecisions(journal)
	if err != nil || len(all) == 0 {
		return err
	}
	return SaveDecisions(journal, slices.DeleteFunc(all, func(d Decision) bool { return !s.Decides(d.Project) }))
}

// Decides says whether the decisions of a project are given to the sessions of others in it, and
// theirs to those here.
func (s Share) Decides(project string) bool {
	return slices.Contains(s.Decisions, project) && s.Covers(Share{Projects: []string{project}})
}

// WithDecisions chooses that for a project.
func (s Share) WithDecisions(project string) Share {
	s.Decisions = append(slices.Clone(s.Decisions), project)
	return s
}

// WithoutDecisions ends what WithDecisions chose.
func (s Share) WithoutDecisions(project string) Share {
	s.Decisions = slices.DeleteFunc(slices.Clone(s.Decisions), func(p string) bool { return p == project })
	return s
}
