package look

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// diffPoint is one end of a comparison.
type diffPoint struct {
	Seq uint64 `json:"seq"`
	At  string `json:"at"` // time of the session's newest event up to there; empty without events
}

// diffDoc is the JSON document of the changes between two points.
type diffDoc struct {
	Session string                     `json:"session"`
	Project string                     `json:"project"`
	Agent   string                     `json:"agent"`
	From    diffPoint                  `json:"from"`
	To      diffPoint                  `json:"to"`
	Diff    map[string][]replay.Change `json:"diff"` // projections without a change are left out
}

// parsePoints parses A..B, each a point; an empty A is the beginning and an empty B the end.
func parsePoints(s string) (from, to point, err error) {
	a, b, ok := strings.Cut(s, "..")
	if !ok {
		return from, to, fmt.Errorf("%q is not A..B with two points; a point is %s", s, pointForms)
	}
	if a = strings.TrimSpace(a); a == "" {
		a = "0"
	}
	if err = from.Set(a); err == nil && strings.TrimSpace(b) != "" {
		err = to.Set(b)
	}
	return from, to, err
}

// showDiff prints how the states at two points differ; points is A..B.
func showDiff(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, conf projections.Config, ps []projections.Projection, points string) error {
	doc := diffDoc{Session: t.Session, Project: t.Project}
	left, right, err := parsePoints(points)
	if err != nil {
		return err
	}
	if doc.From.Seq, err = left.sequence(ctx, log, t); err != nil {
		return err
	}
	if doc.To.Seq, err = right.sequence(ctx, log, t); err != nil {
		return err
	}
	if doc.From.Seq > doc.To.Seq {
		return errors.New("the first point is after the second")
	}
	f := projections.NewFold(t, conf, ps...)
	forwardTo := func(p *diffPoint) error {
		if err := forward(ctx, log, f, p.Seq); err != nil {
			return err
		}
		if f.Count() > 0 {
			p.At = f.Last().Time().Format(time.RFC3339Nano)
		}
		return nil
	}
	if err := forwardTo(&doc.From); err != nil {
		return err
	}
	before := f.Clone().States()
	if err := forwardTo(&doc.To); err != nil {
		return err
	}
	doc.Agent = f.Last().Agent
	if doc.Diff, err = replay.DiffStates(before, f.States()); err != nil {
		return err
	}
	return a.Print(doc, func() { printDiff(ctx, a, log, t, doc) })
}

// printDiff prints the changes of a session for people.
func printDiff(ctx context.Context, a *cli.App, log replay.Source, t projections.Target, d diffDoc) {
	fmt.Fprintln(a.Out, cli.SessionLine(ctx, a, log, t))
	fmt.Fprintf(a.Out, "from #%d to #%d\n", d.From.Seq, d.To.Seq)
	if len(d.Diff) == 0 {
		fmt.Fprintln(a.Out, "nothing changed")
	}
	show := diffText{cli.StateTextOf(ctx, a, log, t)}
	for _, n := range slices.Sorted(maps.Keys(d.Diff)) {
		fmt.Fprintf(a.Out, "\n%s\n", n)
		printChanges(a, show.changes(d.Diff[n]))
	}
}

// maxShownChanges bounds the lines about one state. More are printed only if they have the sequence of the oldest printed one;
// --json has all changes.
const maxShownChanges = 2 * cli.ShownItems

// printChanges prints the changes of the newest items of a state, in their order, each in its colour.
func printChanges(a *cli.App, all []shownChange) {
	oldest := uint64(0)
	if omitted := len(all) - maxShownChanges; omitted > 0 {
		oldest = slices.SortedFunc(slices.Values(all), func(x, y shownChange) int { return cmp.Compare(x.seq, y.seq) })[omitted].seq
	}
	newest := slices.DeleteFunc(slices.Clone(all), func(c shownChange) bool { return c.seq < oldest })
	if earlier := len(all) - len(newest); earlier > 0 {
		fmt.Fprintf(a.Out, "  … %d earlier, --json shows them\n", earlier)
	}
	for _, c := range newest {
		sign, colour := "~", cli.Yellow
		switch c.op {
		case replay.Added:
			sign, colour = "+", cli.Green
		case replay.Removed:
			sign, colour = "-", cli.Red
		}
		_ = a.Paint(colour, a.Cut("  "+sign+" "+c.text)) // a.Out keeps the error (Print)
	}
}

// shownChange is a line about changes as it is printed.
type shownChange struct {
	op   string // of the changes, as in replay.Change
	text string
	seq  uint64 // of the item's newest event, 0 outside of lists
}

// diffText shows changes of states as text.
type diffText struct{ cli.StateText }

// changes returns the changes of one state as lines. All changes of members of one item are on one line.
func (s diffText) changes(all []replay.Change) []shownChange {
	var shown []shownChange
	for i := 0; i < len(all); {
		c := all[i]
		item, name := itemOf(c.Path)
		isOfItem := func(c replay.Change) bool {
			path, member := itemOf(c.Path)
			return path == item && member != ""
		}
		next := i + 1
		for item != "" && isOfItem(c) && next < len(all) && isOfItem(all[next]) {
			next++
		}
		switch {
		case item == "" && name == "at" && len(all) > 1: // left out: another line has the event that changed the state
		case item == "":
			shown = append(shown, shownChange{c.Op, s.change(name, c), 0})
		case name == "" && c.Op == replay.Added:
			shown = append(shown, shownChange{c.Op, s.Item(c.To), cli.ItemSeq(c.To)})
		case name == "" && c.Op == replay.Removed:
			shown = append(shown, shownChange{c.Op, s.Item(c.From), cli.ItemSeq(c.From)})
		default:
			shown = append(shown, shownChange{replay.Changed, s.itemName(c, item) + ": " + s.members(all[i:next]), cli.ItemSeq(c.Item)})
		}
		i = next
	}
	return shown
}

// members describes the changes of an item's members. Numbers of events are last, because a line may be cut.
func (s diffText) members(all []replay.Change) string {
	var parts, numbers []string
	for _, c := range all {
		_, name := itemOf(c.Path)
		if name == "seq" || name == "last_seq" {
			numbers = append(numbers, s.change(name, c))
		} else {
			parts = append(parts, s.change(name, c))
		}
	}
	return strings.Join(append(parts, numbers...), ", ")
}

// change describes the change of the member with a name.
func (s diffText) change(name string, c replay.Change) string {
	m := cli.StateMember{Name: name[strings.LastIndexByte(name, '.')+1:]}
	format := func(b json.RawMessage) string {
		m.Value = orNull(b)
		return s.Value(m)
	}
	label := strings.ReplaceAll(cli.SpelledName(name), ".", " ") + " "
	if m.Name == "last_seq" { // its value, such as #12, needs no label
		label = ""
	}
	switch c.Op {
	case replay.Added:
		return label + format(c.To)
	case replay.Removed:
		return label + format(c.From)
	}
	return label + format(c.From) + " → " + format(c.To)
}

// itemOf splits a path into that of an item, empty outside of lists, and the name of a member, empty for the whole item.
func itemOf(path string) (item, name string) {
	i := strings.LastIndexByte(path, ']')
	return path[:i+1], strings.TrimPrefix(path[i+1:], ".")
}

// itemName returns the gist of the item that changed, or its path if the change does not have the item.
func (s diffText) itemName(c replay.Change, path string) string {
	if c.Item == nil {
		return cli.OneLine(path)
	}
	name, _ := s.Parts(c.Item)
	return name
}
