package agents

import (
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// expired are beginnings of a client's notice of a watch that it ended: its notice has no status.
var expired = []string{"[Monitor stopped", "[Monitor timed out", "[Monitor expired"}

// EndsOf reads a client's notice of ended background tasks; after a restart of the client it names all that ran. The summary
// has the exit code: "Background command "x" failed with exit code 1", "Monitor "x" script failed (exit 1)". It returns nil
// for other texts.
func EndsOf(notice string) (all []events.BackgroundEnded) {
	text := strings.TrimSpace(notice)
	e := events.BackgroundEnded{Use: Tag(text, "tool-use-id"), Status: Tag(text, "status"), Text: Tag(text, "summary")}
	if begins(Tag(text, "event"), expired) {
		e.Status = "killed"
	}
	if e.Status == "" {
		return nil
	}
	_, _ = fmt.Sscan(Tag(text, "exit-code"), &e.Exit)
	_, code, _ := strings.Cut(e.Text[max(0, strings.LastIndex(e.Text, "exit ")):], "exit ")
	_, _ = fmt.Sscan(strings.TrimPrefix(code, "code "), &e.Exit) // 0 is unknown
	ids, _, _ := strings.Cut(text, "<summary>")
	for _, name := range []string{"task-id", "agent-id", "shell-id"} {
		for e.Task = Tag(ids, name); e.Task != ""; e.Task = Tag(ids, name) {
			_, ids, _ = strings.Cut(ids, "</"+name+">")
			if !strings.HasPrefix(e.Task, "__") { // a mark of the client's own
				all = append(all, e)
			}
		}
	}
	return all
}

// begins reports whether a text begins with one of some marks.
func begins(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// Tag returns the text of an element, trimmed; empty if it is missing.
func Tag(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	value, _, closed := strings.Cut(rest, "</"+name+">")
	if !ok || !closed {
		return ""
	}
	return strings.TrimSpace(value)
}
