// Package colleagues finds at a team's hub what sessions on other machines have left unfinished in a
// repository that is a project of this log too, and who goes on with what sessions of this log left
// (J.9). It reads what others share, under both sides' choice to hand over, and takes from it the
// names of skills, ports and plans, who and when: never what anybody asked or said.
package colleagues

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/peers"
	"journal/projections"
	"journal/replay"
)

// Project is what a log says of one of its projects.
type Project struct {
	Key     string
	Is      git.Identity
	Offered bool // what is unfinished there
	Decided bool // what is decided there is given to others
}

// checkouts gives the repositories of an event as others compare them.
func checkouts(all []events.Checkout) (is []git.Checkout) {
	for _, c := range all {
		is = append(is, git.Checkout(c))
	}
	return is
}

// Projects lists what a log says of its projects, beyond what is known of them.
func Projects(ctx context.Context, src replay.Source, known ...Project) ([]Project, error) {
	all := slices.Clone(known)
	for e, err := range src.Events(ctx, events.Span{}, events.Selector{Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}) {
		if err != nil {
			return nil, err
		}
		ev, err := events.Open(e)
		seen, ok := ev.(events.ProjectSeen)
		if err != nil || !ok {
			continue
		}
		all = slices.DeleteFunc(all, func(p Project) bool { return p.Key == e.Project })
		is := git.Identity{Commits: seen.Commits, Remote: seen.Remote, Name: seen.Name, Also: checkouts(seen.Also)}
		all = append(all, Project{e.Project, is, seen.Handover, seen.Decisions})
	}
	return all, nil
}

// Found is what a look found.
type Found struct {
	Offers []team.Offer
	Given  []Given
	// Alike are repositories of others that may be one of this log, by what git says of them.
	Alike []team.Alike
	// Decisions of others, newest first, and what could not be read.
	Decisions []team.Decision
	Unread    Unread
}

// Given is that somebody goes on with what a session of this log left.
type Given struct {
	Project string // key in this log
	ID      string // of the event in the other log
	events.HandoverNoticed
}

// onwardMost is how many numbers of a copy are folded onward at once.
const onwardMost = 1000

const (
	maxOffers = 20 // kept for one project
	maxPorts  = 8  // of one session
	nameUnits = 80 // UTF-16 units of a name or title
)

// Looker looks at the hub again and again, and folds what others share only forward. It is for one
// goroutine.
type Looker struct {
	member team.Membership
	copies map[string]*place // by member, device and number of the copy
}

// NewLooker makes the looker of a device.
func NewLooker(m team.Membership) *Looker { return &Looker{m, map[string]*place{}} }

// place is a copy at the hub. Of what it holds nothing is kept but what comes of it.
type place struct {
	peers.Copy
	events   uint64 // that it had at the last look
	projects []Project
	folds    map[string]*projections.Fold // of projects that are offered
	newest   map[session]events.Meta      // of the sessions there
	offers   map[string][]team.Offer      // by project there
}

// session is one of another log.
type session struct{ project, id string }

// Look looks for what concerns some projects of this log. What one member shares and cannot be read
// keeps nobody from the rest; the error says so then, and the result counts.
func (l *Looker) Look(ctx context.Context, hub *peers.Hub, own []Project) (Found, error) {
	var unread Unread
	seen := map[string]*place{}
	var trouble error
	for _, of := range hub.OfEach(ctx, hub.Members()) {
		if of.Err != nil {
			trouble = of.Err
			unread.members = append(unread.members, of.Member)
			continue
		}
		for _, c := range of.Copies {
			if c.Member == l.member.Name && c.Device == l.member.Device {
				continue
			}
			key := fmt.Sprintf("%s/%s/%d", c.Member, c.Device, c.Number)
			p := l.copies[key]
			if p == nil {
				p = &place{}
			}
			p.Copy = c.Onward(p.Copy)
			if err := p.look(ctx, own); err != nil {
				trouble = fmt.Errorf("what %s shares: %w", c.Member, err)
				unread.copies = append(unread.copies, copyName{c.Member, c.Device, c.Number})
				continue
			}
			seen[key] = p
		}
	}
	l.copies = seen
	f := l.found(own)
	f.Decisions, f.Unread, f.Alike = l.decisions(own), unread, l.alike(own)
	return f, trouble
}

// look brings what is known of a copy up to date.
func (p *place) look(ctx context.Context, own []Project) error {
	unknown := func(m Project) bool { return p.folds[m.Key] == nil }
	if p.events == p.Events && !slices.ContainsFunc(p.matching(own), unknown) {
		return nil
	}
	log, err := p.Log(ctx)
	if err != nil {
		return err
	}
	defer p.Drop()
	if p.projects, err = Projects(ctx, brief{log}, p.projects...); err != nil {
		return err
	}
	matching := p.matching(own)
	// What was dropped counts now; and of a long stretch a fold asks in which sessions before it something began.
	if p.events > 0 && (p.Events > p.events+onwardMost || slices.ContainsFunc(matching, unknown)) {
		*p = place{Copy: p.Again()}
		return p.look(ctx, own)
	}
	folds, newest := map[string]*projections.Fold{}, map[session]events.Meta{}
	p.offers = map[string][]team.Offer{}
	for _, m := range matching {
		f := p.folds[m.Key]
		if f == nil {
			f = projections.NewFold(projections.Target{Project: m.Key}, projections.Config{}, Needs...)
		}
		if err := replay.Forward(ctx, brief{log}, f, p.Events); err != nil {
			return err
		}
		folds[m.Key] = f
		for of, is := range p.newest {
			if of.project == m.Key {
				newest[of] = is
			}
		}
		for e, err := range (brief{log}).Events(ctx, events.Span{After: p.events, Until: p.Events}, events.Selector{Project: m.Key}) {
			if err != nil {
				return err
			}
			newest[session{m.Key, e.Session}] = e.Meta
		}
		p.offers[m.Key] = offers(p.Copy, f, newest)
	}
	p.folds, p.newest, p.events = folds, newest, p.Events
	return nil
}

// matching gives the projects of a copy that are one with a project of this log for one side or the
// other, where both give the same: what is unfinished, or what is decided.
func (p *place) matching(own []Project) (all []Project) {
	for _, theirs := range p.projects {
		if slices.ContainsFunc(own, func(o Project) bool { return theirs.gives(o) && (Same(o, theirs) || Same(theirs, o)) }) {
			all = append(all, theirs)
		}
	}
	return all
}

// gives says whether two projects give each other anything.
func (p Project) gives(o Project) bool { return p.Offered && o.Offered || p.Decided && o.Decided }

// Same says whether a project of this log and one of others are one for this side: a fork is not, without
// a person's word here.
func Same(own, theirs Project) bool { return own.Is.Takes(theirs.Is) }

// alike gives the repositories of others that half of is equal to what is known of one of this log.
func (l *Looker) alike(own []Project) (all []team.Alike) {
	for _, o := range own {
		for _, p := range l.copies {
			for _, theirs := range p.projects {
				if git.Compare(o.Is, theirs.Is) == git.Alike && theirs.gives(o) {
					all = append(all, team.Alike{Project: o.Key, Member: p.Member, Of: theirs.Is.Checkout()})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b team.Alike) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Of.String(), b.Of.String()), cmp.Compare(a.Member, b.Member))
	})
	return slices.CompactFunc(all, func(a, b team.Alike) bool { return a.Project == b.Project && a.Of.Equal(b.Of) })
}

// found brings together what concerns this log.
func (l *Looker) found(own []Project) (f Found) {
	var taken []projections.Takeover
	for _, p := range l.copies {
		for _, fold := range p.folds {
			taken = append(taken, projections.Handovers.In(fold).Taken...)
		}
	}
	for _, o := range own {
		var all []team.Offer
		for _, p := range l.copies {
			for _, theirs := range p.matching([]Project{o}) {
				if !theirs.Offered || !o.Offered {
					continue
				}
				for _, offer := range p.offers[theirs.Key] {
					if !Same(o, theirs) {
						break // only they say so
					}
					gone := slices.ContainsFunc(taken, func(t projections.Takeover) bool {
						return t.Of(offer.Member, offer.Device, offer.Session, offer.AsOf)
					})
					if !gone {
						offer.Project = o.Key
						all = append(all, offer)
					}
				}
				for _, t := range projections.Handovers.In(p.folds[theirs.Key]).Taken {
					if t.Member == l.member.Name && t.Device == l.member.Device && t.Project == o.Key && isToken(t.From) {
						f.Given = append(f.Given, given(o.Key, p.Copy, t))
					}
				}
			}
		}
		slices.SortFunc(all, func(a, b team.Offer) int { // the last one at work first
			if a.Last != b.Last {
				return int(min(1, max(-1, b.Last-a.Last)))
			}
			return strings.Compare(a.Member+a.Device+a.Session, b.Member+b.Device+b.Session)
		})
		f.Offers = append(f.Offers, all[:min(len(all), maxOffers)]...)
	}
	slices.SortFunc(f.Given, func(a, b Given) int { return strings.Compare(a.ID, b.ID) })
	return f
}

func given(project string, c peers.Copy, t projections.Takeover) Given {
	ports := slices.Clone(t.Ports[:min(len(t.Ports), maxPorts)])
	for i := range ports {
		ports[i] = short(ports[i])
	}
	return Given{
		Project: project, ID: fmt.Sprintf("%s/%s/%d", c.Member, c.Device, t.Seq),
		HandoverNoticed: events.HandoverNoticed{
			Session: t.From, Member: c.Member, Device: c.Device, By: short(t.By), Skill: short(t.Skill), Ports: ports, Plan: short(t.Plan), Taken: int64(t.At),
		},
	}
}

func short(s string) string { return line(s, nameUnits) }

// line puts what somebody else wrote on one line of so many units, without what steers a terminal or turns
// the direction of writing. Tags that mean something to a client stay: whoever gives it to an agent breaks
// them up.
func line(s string, units int) string { return text.CutUnits(text.Printable(text.Line(s)), units) }

// Needs are the folds of a project that Left reads.
var Needs = []projections.Projection{projections.Skills, projections.Ports, projections.Handovers, projections.Decisions, projections.Plans}

// Left is what a session has left unfinished.
type Left struct {
	Skill projections.PhaseState // not active: none
	Ports []projections.PortState
	Plan  projections.LeftPlan // open; without a sequence: none
	AsOf  uint64               // newest sequence that tells of them
}

// LeftIn gives what each session of a project has left unfinished, by a fold of Needs.
func LeftIn(f *projections.Fold) map[string]Left {
	all := map[string]Left{}
	for _, s := range projections.Skills.In(f) {
		all[s.Session] = Left{Skill: s.Phase, AsOf: s.Phase.Seq}
	}
	for _, p := range projections.Ports.In(f).AllRunning("") {
		l := all[p.Session]
		l.Ports, l.AsOf = append(l.Ports, p), max(l.AsOf, p.Seq)
		all[p.Session] = l
	}
	for _, p := range projections.Plans.In(f) {
		if p.Open() {
			l := all[p.Session]
			l.Plan, l.AsOf = p, max(l.AsOf, p.Seq)
			all[p.Session] = l
		}
	}
	return all
}

// offers gives what the sessions of a project at a copy have left unfinished, by the newest event of each.
func offers(c peers.Copy, f *projections.Fold, newest map[session]events.Meta) []team.Offer {
	all := offered(c, f)
	for i, o := range all {
		last := newest[session{f.Target().Project, o.Session}]
		all[i].Last = last.At
		all[i].Ended = o.Session == events.None || last.Type == events.TypeOf[events.SessionEnded]() || last.Type == events.TypeOf[events.SessionGone]()
	}
	return all
}

// offered is offers without when something happened last.
func offered(c peers.Copy, f *projections.Fold) (all []team.Offer) {
	for session, left := range LeftIn(f) {
		if !isToken(session) {
			continue // it becomes part of a command, and anybody can name a session
		}
		o := team.Offer{Member: c.Member, Device: c.Device, Session: session, AsOf: left.AsOf, Plan: short(left.Plan.Title)}
		if left.Skill.Active() {
			o.Skill, o.Phase, o.PhaseName = short(left.Skill.Skill), short(left.Skill.Phase), short(left.Skill.Name)
		}
		for _, p := range left.Ports[:min(len(left.Ports), maxPorts)] {
			o.Ports = append(o.Ports, team.OfferedPort{ID: short(p.ID), Title: short(p.Title), Progress: p.Progress})
		}
		all = append(all, o)
	}
	return all
}

// isToken says whether a text can stand in a command as it is.
func isToken(s string) bool {
	const chars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	return s != "" && len(s) <= 64 && strings.Trim(s, chars) == "" && s[0] != '-'
}
