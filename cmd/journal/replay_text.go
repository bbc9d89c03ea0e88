package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/state"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// printReplay shows states to a person.
func (a *app) printReplay(ctx context.Context, log replay.Source, d replayDoc) error {
	at := "nothing yet"
	if t, err := time.Parse(time.RFC3339Nano, d.At); err == nil {
		at = t.Local().Format(time.DateTime)
	}
	fmt.Fprintln(a.out, a.sessionLine(ctx, log, d.target()))
	fmt.Fprintf(a.out, "after #%d (%s), %d events\n", d.Seq, at, d.Events)
	show := a.stateText(ctx, log, d.target())
	var names, empty []string
	for n := range d.States {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		b, err := json.Marshal(d.States[n])
		if err != nil {
			return err
		}
		if isZero(n, b) {
			empty = append(empty, n)
			continue
		}
		fmt.Fprintf(a.out, "\n%s\n", n)
		a.printLines(show.Lines(b))
	}
	if len(empty) > 0 {
		fmt.Fprintln(a.out)
		a.printLines(wrapped("nothing of: "+strings.Join(empty, ", "), cmp.Or(a.width(), lineColumns)))
	}
	return nil
}

// isZero says whether a state is that of the empty log.
func isZero(projection string, state []byte) bool {
	ps, err := projectionsNamed([]string{projection})
	if err != nil {
		return false
	}
	zero, err := json.Marshal(projections.NewFold(projections.Target{}, projections.Config{}, ps...).States()[projection])
	return err == nil && bytes.Equal(zero, state)
}

// printStateOf shows the state of one projection.
func (a *app) printStateOf(v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		a.printLines(state.Text{}.Lines(b))
	}
	return err
}

// wrapped parts a text between words into lines of so many columns.
func wrapped(s string, columns int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && text.Columns(line)+1+text.Columns(word) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// lineColumns bounds a line of a state where no terminal does.
const lineColumns = 200

// stateText makes one for states of a session.
func (a *app) stateText(ctx context.Context, log replay.Source, t projections.Target) state.Text {
	show := state.Text{Own: t.Session, Columns: cmp.Or(a.width(), lineColumns), Session: func(project, id string) string {
		return a.named(ctx, log, journal.Session{Project: cmp.Or(project, t.Project), ID: id})
	}}
	f := projections.NewFold(t, projections.Config{}, projections.SessionInfo)
	if err := replay.Forward(ctx, log, f, 0); err == nil { // else paths are shown whole
		show.Root = projections.SessionInfo.In(f).Root
	}
	return show
}

// printLines prints lines as long as there is room for.
func (a *app) printLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(a.out, a.cut(line))
	}
}
