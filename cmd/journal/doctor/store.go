package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/events/text"
	"journal/journal/forgotten"
)

const (
	// largeBytes is the size of a store in bytes above which opening and copying it take noticeably longer (ADR-0032).
	largeBytes = 5 << 30
	// maxArchiveLag is the number of events that the archive may be behind the log without a finding.
	maxArchiveLag = 1000
)

// checkStart reports what keeps an owner from starting.
func checkStart(x *examination) {
	if x.status.Owner != nil {
		x.ok("an owner has started")
		return
	}
	for _, o := range x.status.Obstacles {
		x.closed = x.closed || errors.Is(o.Err, fs.ErrPermission)
		x.problem(o.Advice(), "no owner can start: %v", o.Err)
	}
	if len(x.status.Obstacles) == 0 {
		x.ok("nothing prevents an owner from starting")
	}
}

// checkLog reports the size of the log or how it was closed, its damage, its rebuilds, and the copies that a rebuild or an update
// left.
func checkLog(x *examination) {
	if x.status.Owner != nil { // else checkStart reports it
		if err := embedded.CheckAccess(x.Dir); err != nil {
			x.problem("journal repair (no owner can open it until then)", "the store cannot be read: %v", err)
			return
		}
	}
	x.reportDamage(copies.Store)
	switch s := x.status; {
	case s.Owner == nil:
		if clean, why := embedded.WasClean(x.Dir); clean {
			x.ok("closed cleanly, up to #%d", s.LastSeq)
		} else if len(s.Unknown) > 0 {
			x.note("journal verify", "%s", strings.Join(s.Unknown, "; "))
		} else if s.LastSeq > 0 {
			x.note("", "its last owner did not close it (%s); the next one reads every block before it opens it", why)
		} else {
			x.ok("empty")
		}
	case s.Bytes > largeBytes:
		x.note("journal forget --before DATE", "%s, %s: opening and copying it take a while", text.Counted(s.Events, "event"), cli.Size(s.Bytes))
	default:
		x.ok("%s up to #%d, %s", text.Counted(s.Events, "event"), s.LastSeq, cli.Size(s.Bytes))
	}
	rebuilds, err := rebuild.History(x.Dir)
	if err != nil {
		x.problem("journal repair", "%v", err)
	}
	if n := len(rebuilds); n > 0 {
		last := rebuilds[n-1]
		x.note("", "rebuilt %s, last at %s: %s", text.Counted(n, "time"), last.At.Local().Format(time.DateTime), last.Reason)
	}
	if suspects := rebuild.Suspects(x.Dir); len(suspects) > 0 {
		x.note("rm -r '"+strings.Join(suspects, "' '")+"' (once journal verify finds nothing)", "%s of the previous store kept in %s", text.Counted(len(suspects), "copy"), x.Dir)
	}
	oldFormat := filepath.Join(x.Dir, "store.copy")
	if _, err := os.Lstat(oldFormat); err == nil {
		x.note("rm -r '"+oldFormat+"' (once you have updated this program, and journal verify finds nothing)", "this program opened a store of a format that it did not know, and kept a copy of the store as it was before in store.copy")
	}
}

// reportDamage reports the damage that the owner or journal verify found in a copy of the log: copies.Store or copies.Archive.
func (x *examination) reportDamage(where string) {
	if damages := x.status.DamageIn(where); len(damages) > 0 {
		x.problem("journal repair", "%s, found by the idle owner or by journal verify, the first: %s", text.Counted(len(damages), "damaged place"), damages[0].What)
	}
}

// checkLosses reports the events that the log lost for good.
func checkLosses(x *examination) {
	all := x.status.Losses
	switch n := copies.Unacknowledged(all); {
	case n > 0:
		x.problem(cli.AcknowledgeCommand+" (once you have seen it; nothing restores them)", "%s for good: %s", text.Counted(n, "event is", "events are")+" lost", copies.DescribeUnacknowledged(all))
	case len(all) > 0:
		x.ok("%d, and a person has seen each", len(all))
	default:
		x.ok("none")
	}
}

// checkSecondCopy reports damage in the archive, and how far it is behind the log.
func checkSecondCopy(x *examination) {
	x.reportDamage(copies.Archive)
	switch behind := x.status.LastSeq - min(x.status.LastSeq, x.status.Archived); {
	case x.status.Owner == nil:
		x.ok("written by the owner")
	case behind > maxArchiveLag:
		x.problem("journal repair", "it is %s behind the log", text.Counted(behind, "event"))
	default:
		x.ok("%s", x.status.Copied())
	}
}

// checkDisk checks that the disk of the journal can be written to.
func checkDisk(x *examination) {
	if _, err := os.Stat(x.Dir); err != nil {
		x.ok("nothing is on it yet")
		return
	}
	if err := embedded.Writable(x.Dir); err != nil {
		x.problem("make space, or make the directory writable; hooks record nothing until then", "%v", err)
		return
	}
	x.ok("takes writes")
}

// checkForgotten checks that the list of forgotten events can be read. Imports need the list, so that they leave these events out.
func checkForgotten(x *examination) {
	if _, err := forgotten.Open(x.Dir); err != nil {
		x.problem("journal restore-backup into another directory, and copy the file from there", "%v: an import does not know what to leave out", err)
	}
}
