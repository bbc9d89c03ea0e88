package rebuild

import (
	"context"
	"log/slog"

	"journal/embedded/store/ownership"
	"journal/embedded/store/scrub"
	"journal/projections"
)

// Outcome says what a repair did, in a form that scripts rely on.
type Outcome struct {
	Rebuilt  bool    `json:"rebuilt"`
	Epoch    int     `json:"epoch,omitempty"`
	Events   uint64  `json:"events"`
	Archived []Range `json:"archived"`  // came back from the archive
	Gaps     []Range `json:"gaps"`      // lost; log.gap stands in their places
	Differ   []Range `json:"differ"`    // the archive had other records there
	LostTail *Range  `json:"lost_tail"` // remembered as stored, and in no copy
	Archive  bool    `json:"archive"`   // the archive was written again
	Suspect  string  `json:"suspect"`   // where the damaged store lies now
	Aside    int     `json:"aside"`     // spool files that were set aside now
	// Mended is what kept an owner from starting and does no more, in its words.
	Mended []string `json:"mended"`
	// Losses is what this repair and those before could not bring back, and whether a person has acknowledged it.
	Losses []projections.Loss `json:"losses"`
}

// Lost says whether anything could not be recovered, now or before, that no person has acknowledged.
func (o Outcome) Lost() bool { return len(o.Gaps) > 0 || o.LostTail != nil || Unseen(o.Losses) > 0 }

// Repair reads everything, sets aside the files of the spool that are no reports, and rebuilds the
// log when something of it is damaged. The directory may not be owned: the caller holds its lock and
// has called Resume. progress, when not nil, makes for each of the two readings, named by what is
// done, what gets the bytes that were read and what ends it.
func Repair(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, progress func(what string) (show func(done, total int64), end func())) (Outcome, error) {
	if progress == nil {
		progress = func(string) (func(done, total int64), func()) { return nil, func() {} }
	}
	o := Outcome{Archived: []Range{}, Gaps: []Range{}, Differ: []Range{}, Mended: []string{}}
	settle, err := clear(lock.Dir(), &o.Mended)
	if err != nil {
		return o, err
	}
	show, end := progress("reading")
	i, err := Inspect(ctx, lock.Dir(), show)
	end()
	if err != nil {
		return o, err
	}
	if o.Aside, err = SetAside(lock.Dir()); err != nil {
		return o, err
	}
	o.Events, o.Losses = i.Events, i.Losses
	for _, mend := range settle {
		if err := mend(lock.Dir()); err != nil {
			return o, err
		}
	}
	if !i.Mendable() {
		// Everything was read, and is good: what was found before is no more.
		return o, scrub.Forget(lock.Dir())
	}
	show, end = progress("rebuilding")
	defer end()
	r, err := Rebuild(ctx, lock, Options{Reason: i.Bad[0].String(), Progress: show, Logger: logger})
	if err != nil {
		return o, err
	}
	o.Rebuilt, o.Epoch, o.Events, o.Suspect = true, r.Epoch, r.Events, r.Suspect
	o.Archived, o.Gaps, o.Differ = append(o.Archived, r.Archived...), append(o.Gaps, r.Gaps...), append(o.Differ, r.Differ...)
	o.LostTail, o.Archive = r.LostTail, r.Archive
	o.Losses, err = Losses(ctx, lock.Dir(), r.Events)
	return o, err
}

// clear removes what keeps an owner from starting, as far as no record has to be read for that; settle is the rest.
func clear(dir string, mended *[]string) (settle []func(dir string) error, err error) {
	OpenUp(dir)
	for _, o := range Obstacles(dir) {
		if o.Try != "" {
			return nil, &ObstacleError{o}
		}
		*mended = append(*mended, o.Err.Error())
		if o.settle != nil {
			settle = append(settle, o.settle)
		}
		if o.remove == nil {
			continue
		}
		if err := o.remove(dir); err != nil {
			return nil, err
		}
	}
	return settle, nil
}

// String says for people what is wrong and where.
func (b Bad) String() string {
	if b.Seq == 0 {
		return b.Where + ": " + b.What
	}
	return Range{First: b.Seq, Last: max(b.Seq, b.Last)}.String() + " " + b.Where + ": " + b.What
}
