package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"journal/events/text"
	"journal/projections"
	"journal/replay"
)

// PrintStateOf prints the state of one projection for people.
func (t *Terminal) PrintStateOf(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	t.PrintLines(StateText{}.Lines(b))
	return nil
}

// Wrapped splits a text at white space into lines of at most columns. Only a word that is longer makes a longer line. An empty
// text makes one empty line.
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

// LineColumns bounds a line for people where the width of the terminal is not known.
const LineColumns = 200

// StateTextOf returns a StateText for the states of session t, with the session's root and the names of other sessions.
func StateTextOf(ctx context.Context, a *App, log replay.Source, t projections.Target) StateText {
	show := StateText{Own: t.Session, Columns: cmp.Or(a.Width(), LineColumns), Session: func(project, id string) string {
		return SessionName(ctx, a, log, cmp.Or(project, t.Project), id)
	}}
	info, _ := replay.State(ctx, log, t, projections.Config{}, projections.SessionInfo, 0)
	show.Root = info.Root // empty after an error: paths are shown whole
	return show
}

// PrintLines prints lines, each shortened by Cut.
func (t *Terminal) PrintLines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(t.Out, t.Cut(line))
	}
}
