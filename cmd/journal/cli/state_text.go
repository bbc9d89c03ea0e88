package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// PrintStateOf shows the state of one projection.
func (t *Terminal) PrintStateOf(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	t.PrintLines(StateText{}.Lines(b))
	return nil
}

// Wrapped parts a text between words into lines of so many columns.
func Wrapped(s string, columns int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && text.Columns(line)+1+text.Columns(word) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// LineColumns bounds a line of a state where no terminal does.
const LineColumns = 200

// StateTextOf returns a StateText for the states of a session, with its root and the names of other sessions.
func StateTextOf(ctx context.Context, a *App, log replay.Source, t projections.Target) StateText {
	show := StateText{Own: t.Session, Columns: cmp.Or(a.Width(), LineColumns), Session: func(project, id string) string {
		return SessionName(ctx, a, log, journal.Session{Project: cmp.Or(project, t.Project), ID: id})
	}}
	info, _ := replay.State(ctx, log, t, projections.Config{}, projections.SessionInfo, 0)
	show.Root = info.Root // without one, paths are shown whole
	return show
}

// PrintLines prints lines as long as there is room for.
func (t *Terminal) PrintLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(t.Out, t.Cut(line))
	}
}
