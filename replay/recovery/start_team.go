package recovery

import (
	"cmp"
	"time"

	"journal/events/text"
	"journal/projections"
)

// teamUnits bounds what is told of other machines, in UTF-16 units of startUnits.
const teamUnits = 700

// planAge is how long after its session was at work last a plan is offered that has neither skill nor unit
// of work beside it: nobody says that such a plan is done, and who left it goes on within days or not at all.
const planAge = 3 * 24 * time.Hour

// Offer is what a session on another machine has left unfinished.
type Offer struct {
	Member, Device, Session string
	Skill, Phase, PhaseName string
	Ports                   []OfferPort
	Plan                    string // its title
	AsOf                    uint64 // newest sequence there that tells of skill or ports
	Last                    int64  // when something happened last in the session, ns since 1970
	Ended                   bool
}

// OfferPort is a running unit of work there.
type OfferPort struct{ ID, Title, Progress string }

// teamWork is what the phrase about other machines is filled in with.
type teamWork struct {
	Given  []projections.Takeover // others go on with what was left here
	Offers []offer
	More   int // offers that had no room
}

// offer is an Offer as it is told.
type offer struct {
	Offer
	ago
	AtWork bool // that session is
	Others int  // ports that had no room
}

// AddOffers adds what others have left unfinished in the same repository, but for what was taken over and what is too old.
func (s *Start) AddOffers(all []Offer) {
	handovers := projections.Handovers.In(s.fold)
	for _, o := range all {
		if handovers.Took(o.Member, o.Device, o.Session, o.AsOf) {
			continue
		}
		past := max(0, time.Duration(s.at-o.Last))
		if o.Skill == "" && len(o.Ports) == 0 && past > planAge {
			continue
		}
		s.project.Offers = append(s.project.Offers, offer{Offer: o, ago: ago{past}, AtWork: !o.Ended && past < Silence})
	}
}

// teamRooms are tried from the largest: offers, and ports of each.
var teamRooms = [][2]int{{4, 4}, {3, 3}, {2, 2}, {1, 1}}

// text tells what the team has left unfinished, and any, once, who went on with what was left here (J.9).
func (w teamWork) text(lang string) (out string, err error) {
	if len(w.Given)+len(w.Offers) == 0 {
		return "", nil
	}
	for _, r := range teamRooms {
		if out, err = Phrase(lang, "start-elsewhere", w.within(r[0], r[1])); err != nil {
			return "", err
		}
		if text.Units(out) <= teamUnits {
			break
		}
	}
	return text.CutUnits(out, teamUnits), nil
}

// within gives the work cut to so many offers, with so many ports each.
func (w teamWork) within(offers, ports int) teamWork {
	w.Given, _ = firstOf(w.Given, offers)
	w.Offers, w.More = firstOf(w.Offers, offers)
	for i := range w.Offers {
		o := &w.Offers[i]
		o.Ports, o.Others = firstOf(o.Ports, ports)
		for j := range o.Ports {
			o.Ports[j].Title = short(cmp.Or(o.Ports[j].Title, o.Ports[j].ID), 60)
		}
	}
	return w
}
