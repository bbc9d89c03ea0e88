package rebuild

import (
	"context"
	"log/slog"

	"journal/embedded/copies"
	"journal/embedded/store/ownership"
	"journal/projections"
)

// Outcome is the result of a repair. Scripts rely on its JSON form.
type Outcome struct {
	Rebuilt  bool           `json:"rebuilt"`
	Epoch    int            `json:"epoch,omitempty"`
	Events   uint64         `json:"events"`
	Archived []copies.Range `json:"archived"`  // restored from the archive
	Gaps     []copies.Range `json:"gaps"`      // lost; replaced by log.gap
	Differ   []copies.Range `json:"differ"`    // the archive had other records than the store
	LostTail *copies.Range  `json:"lost_tail"` // stored once according to the head file, but in no copy
	Archive  bool           `json:"archive"`   // the archive was written again
	Suspect  string         `json:"suspect"`   // path of the replaced store, empty for none
	Aside    int            `json:"set_aside"` // spool files set aside by this repair
	// Fixed holds the removed obstacles, as an owner reports them.
	Fixed []string `json:"fixed"`
	// Losses holds all permanent losses of the log, also earlier ones.
	Losses []projections.Loss `json:"losses"`
}

// Lost reports whether records are lost and no person has acknowledged that.
func (o Outcome) Lost() bool {
	return len(o.Gaps) > 0 || o.LostTail != nil || copies.Unacknowledged(o.Losses) > 0
}

// Repair removes obstacles, reads everything, sets broken files of the spool aside, and rebuilds a damaged log. No owner may be running:
// the caller holds the lock and has called Resume. progress is called at the beginning of each of the two phases with the phase's name. It
// returns show, which gets the bytes read so far and their total, and end, which is called at the phase's end. The error is that of Inspect
// or Rebuild, ErrUnknownFormat, or that of the disk.
func Repair(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, progress func(phase string) (show func(done, total int64), end func())) (Outcome, error) {
	o := Outcome{Archived: []copies.Range{}, Gaps: []copies.Range{}, Differ: []copies.Range{}, Fixed: []string{}}
	settle, err := removeObstacles(lock.Dir(), &o.Fixed)
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
	for _, f := range settle {
		if err := f(lock.Dir()); err != nil {
			return o, err
		}
	}
	if err := UnknownFormat(i.Unknown); err != nil {
		return o, err
	}
	if !i.Repairable() {
		// Both copies are good: earlier findings are outdated.
		return o, copies.ForgetDamage(lock.Dir())
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
	o.Losses, err = copies.Losses(ctx, lock.Dir(), r.Events)
	return o, err
}

// removeObstacles removes obstacles, and appends the errors of all obstacles to fixed. It returns the settle functions, which the caller
// calls after it has read the records. The error is an ObstacleError for an obstacle that no repair removes.
func removeObstacles(dir string, fixed *[]string) (settle []func(dir string) error, err error) {
	allowAccess(dir)
	for _, o := range Obstacles(dir) {
		if o.Try != "" {
			return nil, &ObstacleError{o}
		}
		*fixed = append(*fixed, o.Err.Error())
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
