package team

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
)

// offersName keeps what others have left unfinished, as far as it was asked for.
const offersName = "offers.json"

// Offer is what a session on another machine has left unfinished in a repository that is a project
// of this log too. It never holds what anybody asked or said.
type Offer struct {
	Project string `json:"project"` // key in this log
	Member  string `json:"member"`
	Device  string `json:"device"`
	Session string `json:"session"`
	Skill   string `json:"skill,omitempty"`
	Phase   string `json:"phase,omitempty"`
	// PhaseName is what that phase is called.
	PhaseName string        `json:"phase_name,omitempty"`
	Ports     []OfferedPort `json:"ports,omitempty"`
	Plan      string        `json:"plan,omitempty"` // its title
	AsOf      uint64        `json:"as_of"`          // newest sequence there that tells of skill or ports
	Last      int64         `json:"last"`           // when something happened last in the session, ns since 1970
	Ended     bool          `json:"ended"`
}

// OfferedPort is a running unit of work.
type OfferedPort struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Progress string `json:"progress"`
}

// LoadOffers gives what was left unfinished elsewhere in a project, as long as this device has chosen
// that it be handed over. It reads one small file.
func LoadOffers(journal, project string) ([]Offer, error) {
	share, err := LoadShare(journal)
	if err != nil || !share.HandsOver(project) {
		return nil, err
	}
	var all []Offer
	err = load(journal, offersName, &all)
	return slices.DeleteFunc(all, func(o Offer) bool { return o.Project != project }), err
}

// SaveOffers replaces what is known; it need not be durable.
func SaveOffers(journal string, all []Offer) error {
	if len(all) == 0 {
		err := os.Remove(filepath.Join(Dir(journal), offersName))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(Dir(journal), offersName), append(b, '\n'), 0o600)
}

// dropOffers removes what is known of projects that are not handed over any more.
func (s Share) dropOffers(journal string) error {
	var all []Offer
	if err := load(journal, offersName, &all); err != nil || len(all) == 0 {
		return err
	}
	return SaveOffers(journal, slices.DeleteFunc(all, func(o Offer) bool { return !s.HandsOver(o.Project) }))
}

// HandsOver says whether what is unfinished in a project is offered to the team, and the team's here.
func (s Share) HandsOver(project string) bool {
	return slices.Contains(s.Handover, project) && s.Covers(Share{Projects: []string{project}})
}

// WithHandover chooses that for a project.
func (s Share) WithHandover(project string) Share {
	s.Handover = append(slices.Clone(s.Handover), project)
	return s
}

// WithoutHandover ends what WithHandover chose.
func (s Share) WithoutHandover(project string) Share {
	s.Handover = slices.DeleteFunc(slices.Clone(s.Handover), func(p string) bool { return p == project })
	return s
}
