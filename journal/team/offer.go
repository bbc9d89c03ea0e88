package team

import "slices"

// offers keeps what others have left unfinished, as far as it was asked for.
var offers = heard[Offer]{name: "offers.json", most: 200}

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
	if err != nil || !Handover.Has(share, project) {
		return nil, err
	}
	all, err := offers.load(journal)
	return slices.DeleteFunc(all, func(o Offer) bool { return o.Project != project }), err
}

// SaveOffers replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveOffers(journal string, all []Offer) error { return offers.save(journal, all) }
