package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/projections"
	"journal/replay"
)

func (a *app) printDiff(ctx context.Context, log replay.Source, d diffDoc) {
	target := projections.Target{Project: d.Project, Session: d.Session, Lane: d.lane}
	fmt.Fprintln(a.out, a.sessionLine(ctx, log, target))
	fmt.Fprintf(a.out, "from #%d to #%d\n", d.From.Seq, d.To.Seq)
	if len(d.Diff) == 0 {
		fmt.Fprintln(a.out, "nothing changed")
	}
	show := a.stateText(ctx, log, target)
	for _, n := range slices.Sorted(maps.Keys(d.Diff)) {
		fmt.Fprintf(a.out, "\n%s\n", n)
		a.printChanges(show.changes(d.Diff[n]))
	}
}

// printChanges prints what came, went and changed, each in its colour.
func (a *app) printChanges(all []shownChange) {
	paint := a.painter()
	newest := newestOfChanges(all)
	if left := len(all) - len(newest); left > 0 {
		fmt.Fprintf(a.out, "  … %d earlier, --json shows them\n", left)
	}
	for _, c := range newest {
		fmt.Fprintln(a.out, paint(c.colour, a.cut("  "+c.sign+" "+c.line)))
	}
}

// shownChange is a change as a person sees it.
type shownChange struct {
	sign   string
	colour colour
	line   string
	seq    uint64 // of the item, 0 for what is in no list
}

// shownChanges is about how many changes of a state a person is shown; --json has all.
const shownChanges = 2 * shownItems

// newestOfChanges keeps those of the newest items, in their order.
func newestOfChanges(all []shownChange) []shownChange {
	if len(all) <= shownChanges {
		return all
	}
	seqs := make([]uint64, len(all))
	for i, c := range all {
		seqs[i] = c.seq
	}
	slices.Sort(seqs)
	from := seqs[len(seqs)-shownChanges]
	return slices.DeleteFunc(slices.Clone(all), func(c shownChange) bool { return c.seq < from })
}

// changes shows those of one state. What changed of one item stands on one line.
func (s stateText) changes(all []replay.Change) []shownChange {
	var shown []shownChange
	for i := 0; i < len(all); {
		c, same := all[i], i+1
		item, name := itemOf(c.Path)
		for item != "" && name != "" && same < len(all) && sameItem(all[same], item) {
			same++
		}
		one := shownChange{"~", yellow, "", sequence(c.Item)}
		switch {
		case item != "" && name == "" && c.Op == replay.Added:
			one = shownChange{"+", green, s.item(c.To), sequence(c.To)}
		case item != "" && name == "" && c.Op == replay.Removed:
			one = shownChange{"-", red, s.item(c.From), sequence(c.From)}
		case item == "" && name == "at" && len(all) > 1:
			i = same // the event says it
			continue
		case item == "":
			one = s.changed(name, c)
		default:
			var parts, events []string
			for _, c := range all[i:same] {
				_, name := itemOf(c.Path)
				to := &parts
				if name == "seq" || name == "last_seq" {
					to = &events // last: a line may be cut
				}
				*to = append(*to, s.change(name, c))
			}
			one.line = s.named(c, item) + ": " + strings.Join(append(parts, events...), ", ")
		}
		shown = append(shown, one)
		i = same
	}
	return shown
}

// changed shows what became of a member of the state itself.
func (s stateText) changed(name string, c replay.Change) shownChange {
	line := s.change(name, c)
	switch c.Op {
	case replay.Added:
		return shownChange{"+", green, line, 0}
	case replay.Removed:
		return shownChange{"-", red, line, 0}
	}
	return shownChange{"~", yellow, line, 0}
}

func sameItem(c replay.Change, item string) bool {
	path, name := itemOf(c.Path)
	return path == item && name != ""
}

// change shows what became of one member.
func (s stateText) change(name string, c replay.Change) string {
	m := field{name: name[strings.LastIndexByte(name, '.')+1:]}
	say := func(b json.RawMessage) string {
		m.value = orNull(b)
		return s.value(m)
	}
	label := strings.ReplaceAll(spelled(name), ".", " ") + " "
	if m.name == "last_seq" {
		label = ""
	}
	switch c.Op {
	case replay.Added:
		return label + say(c.To)
	case replay.Removed:
		return label + say(c.From)
	}
	return label + say(c.From) + " → " + say(c.To)
}

// itemOf parts a path in the item of a list, empty outside of lists, and the member of it.
func itemOf(path string) (item, name string) {
	i := strings.LastIndexByte(path, ']')
	return path[:i+1], strings.TrimPrefix(path[i+1:], ".")
}

// named names the item that a change is of.
func (s stateText) named(c replay.Change, path string) string {
	if c.Item == nil {
		return oneLine(path)
	}
	said, _ := s.parts(c.Item)
	return said
}
