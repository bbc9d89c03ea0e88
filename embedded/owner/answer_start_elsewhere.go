package owner

import (
	"cmp"
	"time"

	"journal/events/text"
	"journal/journal/team"
	"journal/projections"
	"journal/replay/recovery"
)

// elsewhereUnits bounds what is told of other machines, in UTF-16 units of startUnits.
const elsewhereUnits = 700

// planAge is how long after its session was at work last a plan is offered that has neither skill nor unit
// of work beside it: nobody says that such a plan is done, and who left it goes on within days or not at all.
const planAge = 3 * 24 * time.Hour

// elsewherePage is what the phrase about other machines is filled in with.
type elsewherePage struct {
	Given  []projections.Takeover // others go on with what was left here
	Offers []offer
	More   int // offers that had no room
}

// offer is what a session on another machine has left unfinished.
type offer struct {
	team.Offer
	ago
	AtWork bool // that session is
	Others int  // ports that had no room
}

// elsewhereRooms are tried from the largest: offers, and ports of each.
var elsewhereRooms = [][2]int{{4, 4}, {3, 3}, {2, 2}, {1, 1}}

// elsewhere tells a session that begins or was cleared what the team has left unfinished in the same
// repository, as was chosen for the project, and any, once, who went on with what was left here (J.9).
// What others have left is what the owner knew when it could last ask; nobody is asked now.
func elsewhere(q question, source string) (out string, err error) {
	handovers := projections.Handovers.In(q.fold)
	page := elsewherePage{Given: handovers.Untold()}
	if q.offers != nil && (source == "startup" || source == "clear") {
		for _, o := range q.offers(q.asked.Project) {
			if handovers.Took(o.Member, o.Device, o.Session, o.AsOf) {
				continue
			}
			past := max(0, time.Duration(q.asked.At-o.Last))
			if o.Skill == "" && len(o.Ports) == 0 && past > planAge {
				continue
			}
			page.Offers = append(page.Offers, offer{Offer: o, ago: ago{past}, AtWork: !o.Ended && past < silence})
		}
	}
	if len(page.Given)+len(page.Offers) == 0 {
		return "", nil
	}
	for _, r := range elsewhereRooms {
		if out, err = recovery.Phrase(q.owed.Lang, "start-elsewhere", page.within(r[0], r[1])); err != nil {
			return "", err
		}
		if text.Units(out) <= elsewhereUnits {
			break
		}
	}
	return text.CutUnits(out, elsewhereUnits), nil
}

// within gives the page cut to so many offers, with so many ports each.
func (p elsewherePage) within(offers, ports int) elsewherePage {
	p.Given, _ = firstOf(p.Given, offers)
	p.Offers, p.More = firstOf(p.Offers, offers)
	for i := range p.Offers {
		o := &p.Offers[i]
		o.Ports, o.Others = firstOf(o.Ports, ports)
		for j := range o.Ports {
			o.Ports[j].Title = short(cmp.Or(o.Ports[j].Title, o.Ports[j].ID), 60)
		}
	}
	return p
}
