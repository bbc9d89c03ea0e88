package look

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// pointForms names the forms of a point in a session, as errors show them.
const pointForms = "#120, before-compaction, before-compaction:2, " + cli.TimeForms

// point is a place in a session: an event, the last event before a compaction, or a time. The zero point is the end of the log.
type point struct {
	text    string       // as a person typed it
	seq     uint64       // number of the event; 0 is the beginning of the log, or a point of another kind
	ordinal int          // number of the compaction that follows the point; newestCompaction; or 0 for a point of another kind
	span    cli.TimeSpan // the time; of a whole day the end counts
}

// newestCompaction is the ordinal for the newest compaction.
const newestCompaction = -1

// String returns the point as it was typed.
func (p *point) String() string { return p.text }

// Type names the values of the flag.
func (p *point) Type() string { return "point" }

// Set takes an event number, with or without #, before-compaction[:K] or a time.
func (p *point) Set(s string) (err error) {
	*p = point{text: strings.TrimSpace(s)}
	if before, ok := strings.CutPrefix(p.text, "before-compaction"); ok {
		if before == "" {
			p.ordinal = newestCompaction
			return nil
		}
		ordinal, ok := strings.CutPrefix(before, ":")
		if p.ordinal, err = strconv.Atoi(ordinal); !ok || err != nil || p.ordinal < 1 {
			return fmt.Errorf("%q names no compaction: before-compaction:2 is before the second one", s)
		}
		return nil
	}
	if p.seq, err = strconv.ParseUint(strings.TrimPrefix(p.text, "#"), 10, 64); err == nil {
		return nil
	}
	if p.span, err = cli.ParseTime(s, time.Now()); err != nil {
		return fmt.Errorf("%q is not a valid time or point; use %s", s, pointForms)
	}
	return nil
}

// pointOf returns the point of an event.
func pointOf(seq cli.Ordinal) point { return point{text: seq.String(), seq: uint64(seq)} }

// isSet reports whether the flag was given.
func (p *point) isSet() bool { return p.text != "" }

// sequence returns the last sequence up to the point in a session; 0 if the point is before every event.
func (p *point) sequence(ctx context.Context, log *journal.Log, t projections.Target) (uint64, error) {
	st, err := log.Stats(ctx)
	switch {
	case err != nil:
		return 0, err
	case p.seq > st.Last:
		return 0, cli.WithHint(fmt.Errorf("there is no event #%d, the log ends at #%d", p.seq, st.Last), "journal log")
	case p.ordinal != 0:
		return beforeCompaction(ctx, log, t, p.ordinal)
	case !p.span.From.IsZero():
		at := p.span.To
		if at.After(p.span.From) {
			at = at.Add(-time.Nanosecond) // To belongs to the next day
		}
		return replay.Before(ctx, log, t, at, st.Last)
	case p.isSet():
		return p.seq, nil
	}
	return st.Last, nil
}

// beforeCompaction returns the sequence before the first event of a compaction of the session.
func beforeCompaction(ctx context.Context, log *journal.Log, t projections.Target, ordinal int) (uint64, error) {
	compactions, err := replay.Compactions(ctx, log, t)
	switch {
	case err != nil:
		return 0, cli.Damaged(err)
	case len(compactions) == 0:
		return 0, cli.WithHint(errors.New("the session has no compaction"), "journal replay"+cli.TargetFlags{Session: t.Session}.Args())
	case ordinal > len(compactions):
		return 0, cli.WithHint(fmt.Errorf("there is no compaction %d, the session has %d", ordinal, len(compactions)), "journal audit"+cli.TargetFlags{Session: t.Session}.Args())
	case ordinal == newestCompaction:
		ordinal = len(compactions)
	}
	return compactions[ordinal-1] - 1, nil
}
