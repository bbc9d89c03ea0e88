package recovery

import (
	"cmp"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay/knowledge"
)

// Overview is the data of the phrase "start": the part of a start's text that follows the unfinished work.
type Overview struct {
	Before  *Past // the work before /clear, nil for none
	Earlier *Past // of another session of the project, nil for none
	Ports   []runningPort
	// Decisions are sorted newest first.
	Decisions []datedDecision
	Theirs    []knowledge.MemberDecision // of other members of the team, newest first
	Files     []ListedFile
	Compact   projections.LastCompactState    // of this session
	Newest    projections.ProjectCompactState // the newest compaction of any session of the project
	// NewestTitle is the title of the session with the newest compaction.
	NewestTitle string
	Compound    projections.CompoundState
	Pressure    projections.PressureState

	MorePorts, MoreDecisions, MoreTheirs, MoreFiles int // numbers of those without room
}

// overviewOf returns the parts of an overview that every kind of start has.
func overviewOf(f *projections.Fold, before *Past) Overview {
	return Overview{
		Files:    listedFiles(projections.Flow.In(f), projections.NoteFiles.In(f)),
		Compact:  projections.LastCompact.In(f),
		Newest:   projections.ProjectCompact.In(f),
		Compound: projections.CompoundLastRun.In(f),
		Pressure: projections.Pressure.In(f),
		Before:   before,
	}
}

// Elsewhere reports whether the newest compaction in the text was another session's.
func (o Overview) Elsewhere() bool { return o.Compact.Count == 0 && o.Newest.Seq != 0 }

// empty reports whether the overview has no content. The pressure alone is not worth a text.
func (o Overview) empty() bool {
	return o.Before == nil && o.Earlier == nil && len(o.Ports) == 0 && len(o.Decisions) == 0 && len(o.Theirs) == 0 && len(o.Files) == 0 &&
		o.Compact.Count == 0 && o.Compact.Imported == 0 && o.Newest.Seq == 0 && o.Compound.Seq == 0 && o.Compound.Imported == 0
}

// text returns the overview, cut to units.
func (o Overview) text(lang string, units int) (string, error) {
	if o.empty() {
		return "", nil
	}
	return fitted(lang, "start", units, rooms, func(r room) any { return o.within(r) })
}

// fitted prints a phrase with the largest of some rooms in which the phrase has at most that many UTF-16 units. rooms are sorted
// from the largest; if none is small enough, the text of the last is cut. within returns the phrase's data for a room.
func fitted[R any](lang, phrase string, units int, rooms []R, within func(R) any) (out string, err error) {
	for _, r := range rooms {
		if out, err = Phrase(lang, phrase, within(r)); err != nil {
			return "", err
		}
		if text.Units(out) <= units {
			break
		}
	}
	return text.CutUnits(out, units), nil
}

// room bounds the parts of an overview: request, plan and item in UTF-16 units of each text, the others in number.
type room struct{ request, plan, item, todos, ports, portItems, decisions, theirs, files int }

// rooms are sorted from the largest. Items of ports are dropped before the titles of running ports. The last room leaves
// half of startUnits to the words around it.
var rooms = []room{
	{400, 300, 160, 8, 12, 3, 5, 4, 6},
	{300, 200, 140, 6, 12, 2, 4, 3, 4},
	{240, 120, 120, 4, 12, 1, 3, 2, 3},
	{160, 80, 100, 3, 12, 0, 2, 1, 2},
	{100, 60, 60, 2, 8, 0, 1, 1, 1},
	{60, 40, 40, 1, 5, 0, 1, 0, 1},
}

// within returns the overview, cut to a room.
func (o Overview) within(r room) Overview {
	o.Before, o.Earlier = o.Before.within(r), o.Earlier.within(r)
	o.Ports, o.MorePorts = firstOf(o.Ports, r.ports)
	for i := range o.Ports {
		o.Ports[i] = o.Ports[i].within(r)
	}
	o.Decisions, o.MoreDecisions = firstOf(o.Decisions, r.decisions)
	for i := range o.Decisions {
		o.Decisions[i].Text = text.CutLine(o.Decisions[i].Text, r.item)
	}
	o.Theirs, o.MoreTheirs = firstOf(o.Theirs, r.theirs)
	for i := range o.Theirs {
		d := &o.Theirs[i]
		d.Question, d.Text = text.CutLine(d.Question, r.item), text.CutLine(d.Text, r.item)
	}
	o.Files, o.MoreFiles = firstOf(o.Files, r.files)
	return o
}

// firstOf returns a copy of the first n of a list, and the number of the others.
func firstOf[S ~[]E, E any](all S, n int) (S, int) {
	n = min(n, len(all))
	return append(S(nil), all[:n]...), len(all) - n
}

// ListedFile is a file of plans, notes or knowledge, with numbers of its entries.
type ListedFile struct {
	Name       string
	Stock      bool // it has learnings
	Entries    int
	Waiting    int       // working notes that no compound has reviewed
	Open       int       // open tasks with a box
	Unverified int       // unverified learnings
	Mean       float64   // mean confirmations of its confirmed learnings, 0 for none
	Seq        uint64    // of the file's last change
	At         time.Time // of the event at Seq, UTC
}

// listedFiles lists the files of plans, notes and knowledge with their counts, sorted by rank. Of notes it counts those that are in a
// file; observed has the newest contents of the files.
func listedFiles(notes projections.FlowState, observed []projections.NoteFile) []ListedFile {
	var files []ListedFile
	for _, e := range notes.Entries {
		if e.DroppedSeq != 0 || e.File == "" {
			continue
		}
		f := fileNamed(&files, e.File, max(e.Seq, e.ChangedSeq))
		f.Entries++
		if !e.Promoted && !e.Plan {
			f.Waiting++
		}
	}
	for _, n := range observed {
		f := fileNamed(&files, n.Path, n.Seq)
		f.Stock = n.Kind == events.StockFile
		f.Entries, f.Open, f.Unverified, f.Mean = max(f.Entries, n.Entries), n.Open, n.Unverified, n.Mean
	}
	slices.SortStableFunc(files, func(a, b ListedFile) int { return b.rank() - a.rank() })
	return files
}

// rank returns how early a text lists a file, the greatest first: those with waiting notes, then those with open tasks, then those with
// entries.
func (f ListedFile) rank() int {
	switch {
	case f.Waiting > 0:
		return 3
	case f.Open > 0:
		return 2
	case f.Entries > 0:
		return 1
	}
	return 0
}

// fileNamed returns a file of the list by its name, adding it if needed, and raises its Seq to seq.
func fileNamed(files *[]ListedFile, name string, seq uint64) *ListedFile {
	i := slices.IndexFunc(*files, func(f ListedFile) bool { return f.Name == name })
	if i < 0 {
		*files = append(*files, ListedFile{Name: name})
		i = len(*files) - 1
	}
	f := &(*files)[i]
	f.Seq = max(f.Seq, seq)
	return f
}

// Bounds of the part about other machines, in UTF-16 units. teamUnits is a part of startUnits.
const (
	teamUnits      = 700
	offerPortUnits = 60 // the title of a port
)

// planAge bounds the time since a session's last event in which the text shows its plan, if it left no skill or port: nobody
// reports such a plan as done, and its author continues within days or not at all.
const planAge = 3 * 24 * time.Hour

// Offer is the unfinished work of a session on another machine.
type Offer struct {
	Project   string      `json:"project"` // key in this log
	Member    string      `json:"member"`
	Device    string      `json:"device"`
	Session   string      `json:"session"`
	Skill     string      `json:"skill,omitempty"`
	Phase     string      `json:"phase,omitempty"`
	PhaseName string      `json:"phase_name,omitempty"`
	Ports     []OfferPort `json:"ports,omitempty"`
	Plan      string      `json:"plan,omitempty"` // the title of its plan
	AsOf      uint64      `json:"as_of"`          // newest event number in that log about it
	Last      int64       `json:"last"`           // time of the session's last event, ns since 1970
	Ended     bool        `json:"ended"`          // the session ended
}

// OfferPort is a running unit of work on another machine.
type OfferPort struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Progress string `json:"progress"`
}

// teamWork is the data of the phrase about other machines.
type teamWork struct {
	TakenOver []projections.Takeover // work of this machine that others continue, and that was not shown yet
	Offers    []shownWork            // what others left unfinished

	MoreTakenOver, More int // numbers of TakenOver and of Offers without room
}

// shownWork is an Offer with the further fields of its text.
type shownWork struct {
	Offer
	ago
	AtWork    bool // its session is at work
	MorePorts int  // number of ports without room
}

// AddOffers adds the unfinished work of others in the same repository. It skips work that was taken over, and old plans.
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
		s.team.Offers = append(s.team.Offers, shownWork{Offer: o, ago: ago{past}, AtWork: !o.Ended && past < Silence})
	}
}

// teamRooms are sorted from the largest. Each is a number of offers and a number of ports of each.
var teamRooms = [][2]int{{4, 4}, {3, 3}, {2, 2}, {1, 1}}

// text returns the phrase about other machines (J.9), empty without content.
func (w teamWork) text(lang string) (string, error) {
	if len(w.TakenOver)+len(w.Offers) == 0 {
		return "", nil
	}
	return fitted(lang, "start-elsewhere", teamUnits, teamRooms, func(r [2]int) any { return w.within(r[0], r[1]) })
}

// within returns the work cut to that many offers, with that many ports each.
func (w teamWork) within(offers, ports int) teamWork {
	w.TakenOver, w.MoreTakenOver = firstOf(w.TakenOver, offers)
	w.Offers, w.More = firstOf(w.Offers, offers)
	for i := range w.Offers {
		o := &w.Offers[i]
		o.Ports, o.MorePorts = firstOf(o.Ports, ports)
		for j := range o.Ports {
			o.Ports[j].Title = text.CutLine(cmp.Or(o.Ports[j].Title, o.Ports[j].ID), offerPortUnits)
		}
	}
	return w
}
