package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/projections"
	"journal/replay"
)

// printReplay shows states to a person.
func printReplay(ctx context.Context, a *cli.App, log replay.Source, d replayDoc) error {
	at := "nothing yet"
	if t, err := time.Parse(time.RFC3339Nano, d.At); err == nil {
		at = t.Local().Format(time.DateTime)
	}
	fmt.Fprintln(a.Out, cli.SessionLine(ctx, a, log, d.target()))
	fmt.Fprintf(a.Out, "after #%d (%s), %d events\n", d.Seq, at, d.Events)
	show := cli.StateText(ctx, a, log, d.target())
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
		fmt.Fprintf(a.Out, "\n%s\n", n)
		a.PrintLines(show.Lines(b))
	}
	if len(empty) > 0 {
		fmt.Fprintln(a.Out)
		a.PrintLines(cli.Wrapped("nothing of: "+strings.Join(empty, ", "), cmp.Or(a.Width(), cli.LineColumns)))
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
