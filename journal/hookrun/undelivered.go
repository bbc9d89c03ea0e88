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

// countUndelivered counts the n events of a hook as lost, and returns a message for the person. Each start of a session gets the
// message. Of the other hooks only the first gets it, until the owner has recorded the loss.
func (h *call) countUndelivered(d *agents.Dialect, hook events.Hook, n int, err error) (answer []byte) {
	why := cause(err)
	message := d.Answer(hook, wire.ToPerson, fmt.Sprintf("journal cannot keep what happens here: %s. To see what to do: %s", why, h.doctor()))
	first, err := losses.Note(h.Dir, n, h.began, why, len(message) > 0)
	if err != nil {
		h.logError("not counted", err)
	}
	if first || hook.Kind == events.SessionStart {
		return message
	}
	return nil
}

// countLost counts n events as lost.
func (h *call) countLost(n int, why string) {
	if _, err := losses.Note(h.Dir, n, h.began, why, false); err != nil {
		h.logError("not counted", err)
	}
}

// lossMessage returns the message, at a session's start, about lost events that the owner has not recorded yet. It is nil if there
// are none.
func (h *call) lossMessage(d *agents.Dialect, hook events.Hook) (answer []byte) {
	r, err := losses.Read(h.Dir)
	if err != nil {
		h.logError("count of losses", err)
	}
	lost, why := r.Unrecorded()
	if lost.Events == 0 {
		return nil
	}
	timeOf := func(ns int64) string { return time.Unix(0, ns).Format(time.DateTime) }
	return d.Answer(hook, wire.ToPerson, fmt.Sprintf("journal could not keep what happened from %s to %s (events: %d): %s. To see what to do: %s",
		timeOf(lost.First), timeOf(lost.Last), lost.Events, why, h.doctor()))
}

// doctor returns the command that shows the faults of the journal.
func (h *call) doctor() string { return cmp.Or(h.Getenv("JOURNAL_COMMAND"), "journal") + " doctor" }

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
