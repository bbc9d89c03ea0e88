package hookrun

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"
	"time"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/spool"
	"journal/journal/spool/losses"
	"journal/journal/wire"
)

// undelivered counts the n events of a hook as lost, and returns the message for the person. A start of a session always gets the
// message; of the other hooks only the first one does, until the owner has recorded the loss.
func (h *process) undelivered(d *agents.Dialect, hook events.Hook, n int, err error) (answer []byte) {
	why := cause(err)
	message := d.Answer(hook, wire.ToPerson, fmt.Sprintf("journal cannot keep what happens here: %s. To see what to do: %s", why, h.doctor()))
	first, err := losses.Note(h.Dir, n, h.began, why, len(message) > 0)
	if err != nil {
		h.trouble("not counted", err)
	}
	if first || hook.Kind == events.SessionStart {
		return message
	}
	return nil
}

// count counts n events as lost.
func (h *process) count(n int, why string) {
	if _, err := losses.Note(h.Dir, n, h.began, why, false); err != nil {
		h.trouble("not counted", err)
	}
}

// missed returns the message at a session's start about lost events, nil if there are none that the owner has not recorded yet.
func (h *process) missed(d *agents.Dialect, hook events.Hook) (answer []byte) {
	r, err := losses.Read(h.Dir)
	if err != nil {
		h.trouble("count of losses", err)
	}
	if r.Lost.Events == 0 {
		return nil
	}
	timeOf := func(ns int64) string { return time.Unix(0, ns).Format(time.DateTime) }
	return d.Answer(hook, wire.ToPerson, fmt.Sprintf("journal could not keep what happened from %s to %s (events: %d): %s. To see what to do: %s",
		timeOf(r.Lost.First), timeOf(r.Lost.Last), r.Lost.Events, r.Reason, h.doctor()))
}

// doctor returns the command that shows what is wrong.
func (h *process) doctor() string { return cmp.Or(h.Getenv("JOURNAL_COMMAND"), "journal") + " doctor" }

// cause returns the part of an error that a person needs.
func cause(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, spool.ErrUnsafe):
		return spool.ErrUnsafe.Error()
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "neither the log nor the spool takes it"
}
