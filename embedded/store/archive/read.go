package archive

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"math"
	"slices"

	"journal/journal/record"
)

// Read yields the records after a sequence, in order, each once. Records share memory: clone Data to keep it. Damage is a *Damage
// error, after which the good records continue. Any other error ends the sequence: an unsupported version, a cancelled context, an
// error of the disk. A missing directory is an empty archive. A Writer may write meanwhile.
//
// Read checks the checksums of records and sealed segments, but not the chain.
func Read(ctx context.Context, dir string, after uint64) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		next, subject := after+1, ""
		for s, err := range segments(ctx, dir, next) {
			if err != nil {
				yield(record.Record{}, err)
				return
			}
			damage := s.damage
			if s.first > next {
				damage = append([]Damage{gap(next, s.first-1)}, damage...)
			}
			report := func(until uint64) bool { // yields the damage that begins at this sequence or before it
				for len(damage) > 0 && damage[0].First <= until {
					d := damage[0]
					damage = damage[1:]
					if d.Last >= next && !yield(record.Record{}, &d) {
						return false
					}
				}
				return true
			}
			for _, body := range s.bodies {
				seq := bodySeq(body)
				if seq < next {
					continue
				}
				if !report(seq) || !yield(recordOf(body, &subject), nil) {
					return
				}
				next = seq + 1
			}
			if !report(math.MaxUint64) {
				return
			}
			next = max(next, s.last+1)
		}
	}
}

// gap returns the damage of sequences that no segment holds.
func gap(first, last uint64) Damage {
	return Damage{First: first, Last: last, Reason: "no segment holds these records"}
}

// Last returns the sequence of the newest readable record, 0 if there is none. It changes nothing, so it needs no owner. An archive
// that is ahead of its log proves that the store lost acknowledged events (ADR-0012 rule 9).
func Last(ctx context.Context, dir string) (uint64, error) {
	groups, err := list(dir)
	if err != nil {
		return 0, err
	}
	for i := len(groups) - 1; i >= 0; i-- {
		last := uint64(0)
		for s, err := range segments(ctx, dir, groups[i][0].first) {
			if err != nil {
				return 0, err
			}
			if n := len(s.bodies); n > 0 {
				last = bodySeq(s.bodies[n-1])
			}
		}
		if last > 0 {
			return last, nil
		}
	}
	return 0, nil
}

// segments yields the segments that hold the sequence first or later ones. Of files that begin with the same sequence it yields those that
// needed returns.
func segments(ctx context.Context, dir string, first uint64) iter.Seq2[*segment, error] {
	return func(yield func(*segment, error) bool) {
		groups, err := list(dir)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := 0; i < len(groups); i++ {
			group := groups[i]
			if i+1 < len(groups) && groups[i+1][0].first <= first {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			all, err := needed(dir, group)
			if errors.Is(err, fs.ErrNotExist) {
				// The writer has sealed this segment meanwhile: its file has another name, or its records are in no file any more.
				if groups, err = list(dir); err == nil {
					i = slices.IndexFunc(groups, func(g []segmentFile) bool { return g[0].first >= group[0].first })
					if i < 0 {
						return
					}
					all, err = needed(dir, groups[i])
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, s := range all {
				if (s.open() || s.last >= first) && !yield(s, nil) {
					return
				}
			}
		}
	}
}

// needed loads the files of a group. It returns the segment that reaches furthest, of equal ones the least damaged. If that one is damaged,
// an undamaged segment comes before it, if there is one: a short sealed segment has the records that its open continuation lost. An open
// segment that could not be read comes last, as damage from there on.
func needed(dir string, group []segmentFile) (all []*segment, err error) {
	var furthest, whole, unread *segment
	for _, p := range group {
		s, err := load(dir, p)
		if err != nil {
			return nil, err
		}
		if s.open() && s.raw == nil {
			unread = s
			continue
		}
		if furthest == nil || s.next > furthest.next || s.next == furthest.next && len(s.damage) < len(furthest.damage) {
			furthest = s
		}
		if len(s.damage) == 0 && (whole == nil || s.next > whole.next) {
			whole = s
		}
	}
	if whole != nil && whole != furthest {
		all = append(all, whole)
	}
	if furthest != nil {
		all = append(all, furthest)
	}
	if unread != nil {
		if furthest != nil {
			unread.first = max(furthest.next, furthest.last+1)
			unread.damage[0].First, unread.damage[0].Last = unread.first, unread.first
		}
		all = append(all, unread)
	}
	return all, nil
}
