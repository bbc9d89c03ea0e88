package intake

import (
	"errors"
	"time"

	"journal/journal/spool/losses"
)

// errSpool is the error of a drain that could not look into the spool. It keeps nothing
// out of the log: hooks whom the spool fails have nowhere else to go.
var errSpool = errors.New("the spool cannot be drained")

// overtake notes that events were stored though nobody could see what waits in the
// spool. The caller holds the writer's lock.
func (in *Intake) overtake(events int) {
	in.ahead = true
	if err := losses.Overtaken(in.lock.Dir(), events, time.Now()); err != nil {
		in.trouble(err)
	}
}

// caughtUp notes how many reports were found in the spool once it could be read: they
// came before what overtook them. The caller holds the writer's lock.
func (in *Intake) caughtUp(reports int) {
	if !in.ahead {
		return
	}
	in.ahead = false
	if err := losses.Caught(in.lock.Dir(), reports); err != nil {
		in.trouble(err)
	}
}

// overtaken says whether an owner before this one left it to say what was overtaken.
func overtaken(dir string) bool {
	r, err := losses.Read(dir)
	return err == nil && r.Ahead.Events > 0 && r.Late == 0
}
