package owner

import (
	"errors"
	"time"

	"journal/journal/spool/losses"
)

// errSpool is the error of a drain that could not look into the spool. It keeps nothing
// out of the log: hooks whom the spool fails have nowhere else to go.
var errSpool = errors.New("the spool cannot be drained")

// overtake notes that events were stored though nobody could see what waits in the
// spool. The caller holds the writer's mu.
func (o *Owner) overtake(events int) {
	o.ahead = true
	if err := losses.Overtaken(o.lock.Dir(), events, time.Now()); err != nil {
		o.trouble(err)
	}
}

// caughtUp notes how many reports were found in the spool once it could be read: they
// came before what overtook them. The caller holds the writer's mu.
func (o *Owner) caughtUp(reports int) {
	if !o.ahead {
		return
	}
	o.ahead = false
	if err := losses.Caught(o.lock.Dir(), reports); err != nil {
		o.trouble(err)
	}
}

// overtaken says whether an owner before this one left it to say what was overtaken.
func overtaken(dir string) bool {
	r, err := losses.Read(dir)
	return err == nil && r.Ahead.Events > 0 && r.Late == 0
}
