package intake

import (
	"errors"
	"time"

	"journal/journal/spool/losses"
)

// errSpool says that the spool could not be read. Reports are stored all the same: they could not be spooled either.
var errSpool = errors.New("the spool cannot be drained")

// overtake records that events were stored before others that may wait in a spool that cannot be read. The caller holds the
// writer's lock.
func (in *Intake) overtake(events int) {
	in.ahead = true
	if err := losses.Overtaken(in.lock.Dir(), events, time.Now()); err != nil {
		in.trouble(err)
	}
}

// caughtUp records how many reports were found once the spool could be read again: they happened before what overtook them. The
// caller holds the writer's lock.
func (in *Intake) caughtUp(reports int) {
	if !in.ahead {
		return
	}
	in.ahead = false
	if err := losses.Caught(in.lock.Dir(), reports); err != nil {
		in.trouble(err)
	}
}

// overtaken reports whether an earlier owner stored events while the spool could not be read, and did not catch up.
func overtaken(dir string) bool {
	r, err := losses.Read(dir)
	return err == nil && r.Ahead.Events > 0 && r.Late == 0
}
