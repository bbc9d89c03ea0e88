package look

import (
	"bytes"
	"fmt"
	"strings"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// printEvent prints one event on a line; with details its ids and digests too.
func printEvent(a *cli.App, e events.Envelope, details bool) error {
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	if a.AsJSON {
		return a.JSONLines().Encode(v)
	}
	session := journal.ShortID(e.Session)
	if e.Lane != "" {
		session += "/" + journal.ShortID(e.Lane)
	}
	echo := ""
	if e.EchoOf != 0 {
		echo = fmt.Sprintf(" (echo of #%d)", e.EchoOf)
	}
	line := fmt.Sprintf("#%-5d %s  %-8s  %-18s %s%s",
		e.Seq, e.Time().Local().Format("01-02 15:04:05"), session, e.Type, cli.Gist(v.Data, details), echo)
	return a.Paint(colourOf(v), text.CutColumns(cli.Flat(line), a.Width()))
}

// colourOf shows what of a log a person looks for: what failed, what the person said,
// what was decided, and where the context ended.
func colourOf(v events.View) cli.Colour {
	noun, _, _ := strings.Cut(string(v.Type), ".")
	switch noun {
	case "command", "tool", "turn":
		if bytes.Contains(v.Data, []byte(`"failed":true`)) || v.Type == events.TypeOf[events.TurnFailed]() {
			return cli.Red
		}
	case "prompt":
		return cli.Cyan
	case "decision", "question", "plan":
		return cli.Green
	case "compaction", "context", "recovery", "session":
		return cli.Yellow
	}
	return cli.Plain
}
