package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"journal/cmd/journal/state"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// printStateOf shows the state of one projection.
func (t *Terminal) printStateOf(v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		t.printLines(state.Text{}.Lines(b))
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
func stateText(ctx context.Context, a *app, log replay.Source, t projections.Target) state.Text {
	show := state.Text{Own: t.Session, Columns: cmp.Or(a.width(), lineColumns), Session: func(project, id string) string {
		return named(ctx, a, log, journal.Session{Project: cmp.Or(project, t.Project), ID: id})
	}}
	f := projections.NewFold(t, projections.Config{}, projections.SessionInfo)
	if err := replay.Forward(ctx, log, f, 0); err == nil { // else paths are shown whole
		show.Root = projections.SessionInfo.In(f).Root
	}
	return show
}

// printLines prints lines as long as there is room for.
func (t *Terminal) printLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(t.out, t.cut(line))
	}
}
