package recovery

import (
	"slices"

	"journal/events/text"
	"journal/projections"
)

// Overview is what else there is to know at a start: what the phrase for a start of a session is filled in with.
type Overview struct {
	Before  *Past // what /clear ended for this session
	Earlier *Past // of another session
	Ports   []offeredPort
	// Decisions are the newest first.
	Decisions []datedDecision
	Theirs    []TeamDecision // of others, the newest first
	Files     []ListedFile
	Compact   projections.LastCompactState
	Newest    projections.ProjectCompactState // in any session
	// NewestTitle is the title of that session.
	NewestTitle string
	Compound    projections.CompoundState
	Pressure    projections.PressureState

	MorePorts, MoreDecisions, MoreTheirs, MoreFiles int // that had no room
}

func overviewOf(f *projections.Fold, before *Past) Overview {
	return Overview{
		Files:    slices.Concat(noteFiles(projections.Flow.In(f)), stockFiles(projections.Stock.In(f))),
		Compact:  projections.LastCompact.In(f),
		Newest:   projections.ProjectCompact.In(f),
		Compound: projections.CompoundLastRun.In(f),
		Pressure: projections.Pressure.In(f),
		Before:   before,
	}
}

// Elsewhere says whether the newest compaction that is told was another session's.
func (o Overview) Elsewhere() bool { return o.Compact.Count == 0 && o.Newest.Seq != 0 }

// empty says that there is nothing to tell. How full the context is says nothing by
// itself.
func (o Overview) empty() bool {
	return o.Before == nil && o.Earlier == nil && len(o.Ports) == 0 && len(o.Decisions) == 0 && len(o.Theirs) == 0 && len(o.Files) == 0 &&
		o.Compact.Count == 0 && o.Compact.Imported == 0 && o.Newest.Seq == 0 && o.Compound.Seq == 0 && o.Compound.Imported == 0
}

// text tells as much of it as units have room for.
func (o Overview) text(lang string, units int) (out string, err error) {
	if o.empty() {
		return "", nil
	}
	for _, r := range rooms {
		if out, err = Phrase(lang, "start", o.within(r)); err != nil {
			return "", err
		}
		if text.Units(out) <= units {
			break
		}
	}
	return text.CutUnits(out, units), nil
}

// room says how much of each a text may hold: units of UTF-16, and items.
type room struct{ request, plan, item, todos, ports, portItems, decisions, theirs, files int }

// rooms are tried from the largest. The titles of all running ports come before any of their items. The last one
// leaves half of startUnits to the words around it.
var rooms = []room{
	{400, 300, 160, 8, 12, 3, 5, 4, 6},
	{300, 200, 140, 6, 12, 2, 4, 3, 4},
	{240, 120, 120, 4, 12, 1, 3, 2, 3},
	{160, 80, 100, 3, 12, 0, 2, 1, 2},
	{100, 60, 60, 2, 8, 0, 1, 1, 1},
	{60, 40, 40, 1, 5, 0, 1, 0, 1},
}

// within gives what is told cut to a room.
func (o Overview) within(r room) Overview {
	o.Before, o.Earlier = o.Before.within(r), o.Earlier.within(r)
	o.Ports, o.MorePorts = firstOf(o.Ports, r.ports)
	for i := range o.Ports {
		o.Ports[i] = o.Ports[i].within(r)
	}
	o.Decisions, o.MoreDecisions = firstOf(o.Decisions, r.decisions)
	for i := range o.Decisions {
		o.Decisions[i].Text = short(o.Decisions[i].Text, r.item)
	}
	o.Theirs, o.MoreTheirs = firstOf(o.Theirs, r.theirs)
	for i := range o.Theirs {
		d := &o.Theirs[i]
		d.Question, d.Text = short(d.Question, r.item), short(d.Text, r.item)
	}
	o.Files, o.MoreFiles = firstOf(o.Files, r.files)
	return o
}

func short(s string, units int) string { return text.CutUnits(text.Line(s), units) }

// firstOf gives a copy of the first n of a list, and how many more there are.
func firstOf[S ~[]E, E any](all S, n int) (S, int) {
	if len(all) <= n {
		n = len(all)
	}
	return append(S(nil), all[:n]...), len(all) - n
}
