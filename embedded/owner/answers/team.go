package answers

import (
	"journal/embedded/colleagues"
	"journal/journal/team"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// teamOffers returns the unfinished work of others in a project that a file holds.
func (a *Answers) teamOffers(project string) (offers []recovery.Offer) {
	heard, err := team.LoadHeard(a.Dir, project)
	if err != nil {
		a.Logger.Warn("team", "error", err.Error())
	}
	for _, o := range heard.Unfinished {
		offer := recovery.Offer{
			Member: o.Member, Device: o.Device, Session: o.Session, Skill: o.Skill, Phase: o.Phase, PhaseName: o.PhaseName,
			Plan: o.Plan, AsOf: o.AsOf, Last: o.Last, Ended: o.Ended,
		}
		for _, p := range o.Ports {
			offer.Ports = append(offer.Ports, recovery.OfferPort(p))
		}
		offers = append(offers, offer)
	}
	return offers
}

// teamDecisions returns the decisions of others in a project that a file holds, newest first.
func (a *Answers) teamDecisions(project string) []knowledge.MemberDecision {
	heard, err := team.LoadHeard(a.Dir, project)
	if err != nil {
		a.Logger.Warn("team", "error", err.Error())
	}
	return colleagues.Colleagues(heard.Decisions)
}
