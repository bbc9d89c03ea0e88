package main

import (
	"bytes"
	"fmt"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// printEvent prints one event on a line; with details its ids and digests too.
func printEvent(a *app, e events.Envelope, details bool) error {
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	if a.asJSON {
		return a.jsonLines().Encode(v)
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
		e.Seq, e.Time().Local().Format("01-02 15:04:05"), session, e.Type, gist(v.Data, details), echo)
	return a.paint(colourOf(v), text.CutColumns(flat(line), a.width()))
}

// colourOf shows what of a log a person looks for: what failed, what the person said,
// what was decided, and where the context ended.
func colourOf(v events.View) colour {
	noun, _, _ := strings.Cut(string(v.Type), ".")
	switch noun {
	case "command", "tool", "turn":
		if bytes.Contains(v.Data, []byte(`"failed":true`)) || v.Type == events.TypeOf[events.TurnFailed]() {
			return red
		}
	case "prompt":
		return cyan
	case "decision", "question", "plan":
		return green
	case "compaction", "context", "recovery", "session":
		return yellow
	}
	return plain
}
