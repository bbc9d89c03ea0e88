package hubcopy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"journal/events"
	"journal/journal/record"
)

// errSetBack says that the hub has of this device what its log has not: the log was restored from an older
// backup, lost its end, or is another. Nothing of it is uploaded, and nothing at the hub is removed: what is
// there may be all that is left.
var errSetBack = errors.New("the hub has of this device what its log has not")

// past sees to it, once for each time that the link stands, that whatever the hub has of this device is of its
// log. ok says that it is; without, the copy has to be derived first as far as the hub's.
func (v *session) past(ctx context.Context) (ok bool, err error) {
	if v.known || v.copier == nil {
		return true, nil
	}
	for _, n := range v.copy.AtHub {
		if ok, err := v.compare(ctx, n); err != nil || !ok {
			return false, err
		}
	}
	v.known, v.bound = true, math.MaxUint64
	return true, nil
}

// compare says whether a copy at the hub is of this log's past.
func (v *session) compare(ctx context.Context, number int) (ok bool, err error) {
	if number > v.copy.Number {
		return false, fmt.Errorf("%w: its copy %d, and the newest here is %d", errSetBack, number, v.copy.Number)
	}
	s, err := v.hub.copyAt(ctx, number)
	if err != nil || s == nil {
		return err == nil, err
	}
	st := s.CachedInfo().State
	last := st.LastSeq
	if number == v.copy.Number {
		v.has(last)
	}
	if last > v.status.Head {
		return false, fmt.Errorf("%w: its copy ends with #%d, and the log with #%d", errSetBack, last, v.status.Head)
	}
	newest, err := v.hub.newest(ctx, number)
	if err != nil {
		return false, fmt.Errorf("ask the hub: %w", err)
	}
	if number < v.copy.Number || !whole(st) { // which is made again
		return v.before(ctx, newest)
	}
	if v.status.Local < last {
		v.bound = last
		return false, nil
	}
	for have := newest; ; {
		if same, err := v.copier.same(ctx, have); err != nil || !same {
			return false, differs(err, have.Seq)
		}
		// The node that answered may not know the newest yet, and the log may give what the hub's copy does not.
		seq, err := v.copier.next(ctx, have.Seq)
		if err != nil || seq == 0 || seq > last {
			return err == nil, err
		}
		if have, err = recordAt(ctx, s, seq); err != nil {
			return false, err
		}
	}
}

// before says whether the newest event of an earlier copy is of this log, which may have changed, forgotten or
// lost it since.
func (v *session) before(ctx context.Context, newest record.Record) (bool, error) {
	if newest.Seq == 0 {
		return true, nil
	}
	r, err := v.copier.logged(ctx, newest.Seq)
	lost := strings.HasSuffix(r.Subject, "."+string(events.TypeOf[events.LogGap]()))
	if lost || r.IsForgotten() || r.ID != "" && r.ID == newest.ID || bytes.Equal(r.Data, newest.Data) {
		return true, err
	}
	return false, differs(err, newest.Seq)
}

// differs is an error, or without one that of two histories.
func differs(err error, seq uint64) error {
	if err == nil {
		err = fmt.Errorf("%w: #%d is another there", errSetBack, seq)
	}
	return err
}
