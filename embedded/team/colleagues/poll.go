package colleagues

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/facts"
	"journal/events"
	"journal/projections"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// Found holds what others share about the projects of this log.
type Found struct {
	team.Heard
	Handovers []Handover
}

// Handover records that somebody continues the work of a session of this log.
type Handover struct {
	Project string // key in this log
	ID      string // of the event in the other log
	events.HandoverNoticed
}

// Poller polls the hub for new facts. It is for one goroutine.
type Poller struct {
	own    []Project // of this log, whose context is shared
	member team.Membership
	known  *facts.Cache
	// The times from which all members are asked again, and those who share projects of this log.
	allAt, sharersAt time.Time
}

// NewPoller makes the poller of a device.
func NewPoller(m team.Membership) *Poller {
	seen, _ := team.LoadSeen(m.Journal) // Poll returns the error
	return &Poller{member: m, known: facts.NewCache(seen.Roster)}
}

// Want sets the projects of this log for which it polls, and forgets all facts.
func (p *Poller) Want(own []Project) { p.own, p.known = own, facts.NewCache(p.known.Team) }

// pollInterval is the shortest interval of queries of so many members: a laptop asks the hub at most five questions a second about all
// members, and five about those who share its projects, however many they are.
func pollInterval(members int) time.Duration { return time.Duration(members) * 200 * time.Millisecond }

// Poll asks members for new facts, if that is due: all of them over a new connection, for which linked is set, and from time to
// time; more often those who share a project of this log. Without such a project it asks nobody. found holds what is known then, also
// after an error, which names the members whose facts could not be read or do not verify. asked is false if it was not due.
func (p *Poller) Poll(ctx context.Context, nc *nats.Conn, linked bool) (found Found, asked bool, trouble error) {
	now, sharers := time.Now(), p.known.Accounts()
	allDue := linked || !now.Before(p.allAt)
	sharersDue := len(sharers) > 0 && !now.Before(p.sharersAt)
	if len(p.own) == 0 || !allDue && !sharersDue {
		return Found{}, false, nil
	}
	q := &facts.Query{NC: nc, Member: p.member, Linked: linked, Keep: p.keep}
	if !allDue {
		q.Only = sharers
	}
	trouble = p.known.Fetch(ctx, q)
	trouble = errors.Join(trouble, team.SeeRoster(p.member.Journal, p.known.Team))
	if allDue {
		p.allAt = now.Add(pollInterval(len(p.known.Team.Members)))
	}
	p.sharersAt = now.Add(pollInterval(len(p.known.Accounts())))
	return p.found(), true, trouble
}

// keep returns what is kept of a summary: nothing if it concerns no project of this log.
func (p *Poller) keep(t facts.Summary) *facts.Summary {
	if !t.Context || !slices.ContainsFunc(p.own, func(o Project) bool { return o.Identity.Same(t.Identity) }) {
		return nil
	}
	t = bounded(t)
	t.Listing = catalogue.Listing{Project: t.Project}
	return &t
}

// bounded returns the context of a summary in lists of bounded length, with texts on one line of bounded length. Devices share
// no more, and readers keep no more, whatever another device shares.
func bounded(t facts.Summary) facts.Summary {
	t.List = t.List[:min(len(t.List), maxDecided)]
	for i, d := range t.List {
		t.List[i].Text, t.List[i].Question = line(d.Text, decidedUnits), line(d.Question, decidedUnits)
	}
	// A session becomes part of a command, and anybody can name one.
	t.Left = slices.DeleteFunc(t.Left, func(o recovery.Offer) bool { return !isToken(o.Session) })
	t.Left = t.Left[:min(len(t.Left), maxOffers)]
	for i := range t.Left {
		o := &t.Left[i]
		o.Skill, o.Phase, o.PhaseName, o.Plan = short(o.Skill), short(o.Phase), short(o.PhaseName), short(o.Plan)
		o.Ports = o.Ports[:min(len(o.Ports), maxPorts)]
		for j, p := range o.Ports {
			o.Ports[j] = recovery.OfferPort{ID: short(p.ID), Title: short(p.Title), Progress: short(p.Progress)}
		}
	}
	t.Identity.Commits = firstOf(t.Identity.Commits)
	t.Taken = slices.DeleteFunc(slices.Clone(firstOf(t.Taken)), func(t projections.Takeover) bool { return !isToken(t.From) })
	for i := range t.Taken {
		taken := &t.Taken[i]
		taken.By, taken.Skill, taken.Plan = short(taken.By), short(taken.Skill), short(taken.Plan)
		taken.Ports = slices.Clone(taken.Ports[:min(len(taken.Ports), maxPorts)])
		for j, p := range taken.Ports {
			taken.Ports[j] = short(p)
		}
	}
	return t
}

// firstOf returns the first 100 items of a list; our devices share fewer.
func firstOf[T any](all []T) []T { return all[:min(len(all), 100)] }

// isToken reports whether a text can stand in a command as it is.
func isToken(s string) bool {
	const chars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	return s != "" && len(s) <= 64 && strings.Trim(s, chars) == "" && s[0] != '-'
}

// found returns what the cache holds about the projects of this log.
func (p *Poller) found() (f Found) {
	all := slices.DeleteFunc(p.known.All(), func(f *facts.Fact) bool {
		return slices.ContainsFunc(p.known.Team.Members, func(m team.RosterMember) bool { return m.Name == f.Member && m.Revoked })
	})
	var taken []projections.Takeover
	for _, theirs := range all {
		taken = append(taken, theirs.Summary.Taken...)
	}
	for _, o := range p.own {
		var offers []recovery.Offer
		for _, theirs := range all {
			if theirs.Summary.Context && o.Identity.Same(theirs.Summary.Identity) {
				f.Decisions = append(f.Decisions, decisions(o, theirs)...)
				offers = append(offers, untaken(o, theirs, taken)...)
				f.Handovers = append(f.Handovers, p.handovers(o, theirs)...)
			}
		}
		slices.SortStableFunc(offers, func(a, b recovery.Offer) int { return cmp.Compare(b.Last, a.Last) }) // the last one at work first
		f.Unfinished = append(f.Unfinished, offers[:min(len(offers), maxOffers)]...)
	}
	slices.SortStableFunc(f.Decisions, func(a, b team.Decision) int { return cmp.Compare(b.At, a.At) })
	return f
}

// when converts a time of a fact from the clock of its device to the hub's. Nothing is later than the fact itself, so a
// wrong clock changes no order among members.
func when(f *facts.Fact, deviceTime int64) int64 { return f.At - max(0, f.Made-deviceTime) }

// decisions returns the decisions in a fact, newest first.
func decisions(o Project, f *facts.Fact) (all []team.Decision) {
	last := f.At
	for _, d := range f.Summary.List {
		last = min(last, when(f, d.At)) // the log's order counts, not the clock
		d.Project, d.Member, d.Device, d.At = o.Key, f.Member, f.Device, last
		all = append(all, d)
	}
	return all
}

// untaken returns the unfinished work in a fact, but for what a takeover has continued.
func untaken(o Project, f *facts.Fact, taken []projections.Takeover) (all []recovery.Offer) {
	for _, left := range f.Summary.Left {
		left.Project, left.Member, left.Device, left.Last = o.Key, f.Member, f.Device, when(f, left.Last)
		isTaken := func(t projections.Takeover) bool {
			return t.Member == f.Member && t.Device == f.Device && t.From == left.Session && t.AsOf >= left.AsOf
		}
		if !slices.ContainsFunc(taken, isTaken) {
			all = append(all, left)
		}
	}
	return all
}

// handovers returns the work of this log that the device of a fact continues.
func (p *Poller) handovers(o Project, f *facts.Fact) (all []Handover) {
	for _, t := range f.Summary.Taken {
		if t.Member != p.member.Name || t.Device != p.member.Device || t.Project != o.Key {
			continue
		}
		all = append(all, Handover{
			Project: o.Key, ID: fmt.Sprintf("%s/%s/%d", f.Member, f.Device, t.Seq),
			HandoverNoticed: events.HandoverNoticed{
				Session: t.From, Member: f.Member, Device: f.Device, By: t.By, Skill: t.Skill, Ports: t.Ports, Plan: t.Plan, Taken: when(f, int64(t.At)),
			},
		})
	}
	return all
}

// MemberDecisions converts decisions for recovery texts.
func MemberDecisions(all []team.Decision) []knowledge.MemberDecision {
	theirs := make([]knowledge.MemberDecision, len(all))
	for i, d := range all {
		theirs[i] = knowledge.MemberDecision{Member: d.Member, Seq: d.Seq, At: projections.Stamp(d.At), Question: d.Question, Text: d.Text}
	}
	return theirs
}
