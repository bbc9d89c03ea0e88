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

	"journal/embedded/team"
	"journal/embedded/team/dial"
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

// Poller asks the hub again and again for what is new. It is for one goroutine.
type Poller struct {
	own    []Project // of this log, whose context is shared
	member team.Membership
	known  *facts.Cache
	all    time.Time // when all members are asked again
}

// NewPoller makes the poller of a device.
func NewPoller(m team.Membership) *Poller {
	return &Poller{member: m, known: facts.NewCache()}
}

// Own returns the projects that were wanted.
func (l *Poller) Own() []Project { return l.own }

// Want sets the projects of this log for which it polls, and clears the cache.
func (l *Poller) Want(own []Project) { l.own, l.known = own, facts.NewCache() }

// topics names the repositories of those projects in the hub's news.
func (l *Poller) topics() (all []string) {
	for _, o := range l.own {
		all = append(all, facts.Topic(l.member.Team, o.Is))
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(topic string) bool { return topic == "" })
}

const (
	// allEvery is the interval of queries of all members, and memberEvery the least time of it for each of them: so a laptop
	// asks the hub at most five questions a second in the long run, however many they are.
	allEvery    = 10 * time.Second
	memberEvery = 200 * time.Millisecond
)

// pollInterval is the interval of queries of so many members.
func pollInterval(members int) time.Duration {
	return max(allEvery, time.Duration(members)*memberEvery)
}

// Look asks for the news of the repositories of this log, one question for each, and every member what is new, if that is due.
// linked is set for a new connection. some reports whether there may be something new. A hub that has no news is no error. Facts
// of one member that do not verify keep nobody from the rest; the error names the member then, and the result counts.
func (l *Poller) Look(ctx context.Context, nc *nats.Conn, linked bool) (f Found, some bool, trouble error) {
	q := &facts.Query{NC: nc, Member: l.member, Linked: linked, Keep: l.keep}
	some, trouble = l.known.News(ctx, q, l.topics())
	if errors.Is(trouble, dial.ErrNothingThere) {
		trouble = nil
	}
	if now := time.Now(); linked || !now.Before(l.all) {
		some = true
		trouble = errors.Join(trouble, l.known.Fetch(ctx, q))
		l.all = now.Add(pollInterval(len(l.known.Team.Members)))
	}
	return l.found(), some, trouble
}

// keep returns what is kept of a summary: nothing if it concerns no project of this log.
func (l *Poller) keep(t facts.Summary) *facts.Summary {
	if !t.Context || !slices.ContainsFunc(l.own, func(o Project) bool { return o.Is.Same(t.Is) }) {
		return nil
	}
	t = bounded(t)
	t.Sessions, t.More, t.Root, t.Repository, t.Name = nil, 0, "", "", ""
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
	t.Is.Commits = firstOf(t.Is.Commits)
	t.Taken = slices.DeleteFunc(slices.Clone(firstOf(t.Taken)), func(t projections.Takeover) bool { return !isToken(t.From) })
	for i := range t.Taken {
		taken := &t.Taken[i]
		taken.By, taken.Skill, taken.Plan, taken.Ports = short(taken.By), short(taken.Skill), short(taken.Plan), shortOf(taken.Ports)
	}
	return t
}

// firstOf bounds a list that an honest device keeps shorter.
func firstOf[T any](all []T) []T { return all[:min(len(all), 100)] }

// isToken reports whether a text can stand in a command as it is.
func isToken(s string) bool {
	const chars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	return s != "" && len(s) <= 64 && strings.Trim(s, chars) == "" && s[0] != '-'
}

// found brings together what concerns this log.
func (l *Poller) found() (f Found) {
	all := slices.DeleteFunc(l.known.All(), func(f *facts.Fact) bool {
		return slices.ContainsFunc(l.known.Team.Members, func(m team.RosterMember) bool { return m.Name == f.Member && m.Revoked })
	})
	var taken []projections.Takeover
	for _, theirs := range all {
		taken = append(taken, theirs.Summary.Taken...)
	}
	for _, o := range l.own {
		var offers []recovery.Offer
		for _, theirs := range all {
			if theirs.Summary.Context && o.Is.Same(theirs.Summary.Is) {
				f.Decisions = append(f.Decisions, decisions(o, theirs)...)
				offers = append(offers, untaken(o, theirs, taken)...)
				f.Handovers = append(f.Handovers, l.handovers(o, theirs)...)
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

// untaken returns the unfinished work in a fact that nobody continued.
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

// handovers returns the work of this log that is continued there, by a fact.
func (l *Poller) handovers(o Project, f *facts.Fact) (all []Handover) {
	for _, t := range f.Summary.Taken {
		if t.Member != l.member.Name || t.Device != l.member.Device || t.Project != o.Key {
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

// Colleagues returns decisions as recovery texts take them.
func Colleagues(all []team.Decision) []knowledge.MemberDecision {
	theirs := make([]knowledge.MemberDecision, len(all))
	for i, d := range all {
		theirs[i] = knowledge.MemberDecision{Member: d.Member, Seq: d.Seq, At: projections.Stamp(d.At), Question: d.Question, Text: d.Text}
	}
	return theirs
}
