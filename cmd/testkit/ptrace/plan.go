package ptrace

import (
	"math/rand/v2"
	"strings"
)

// Call is a group of system calls with the same effect.
type Call string

// The calls that can fail.
const (
	Writing  Call = "write"
	Syncing  Call = "fsync"
	Renaming Call = "rename" // also link
	Opening  Call = "open"   // of an existing file
	Creating Call = "create" // of a new file
	Removing Call = "unlink"
	Cutting  Call = "truncate"
	Making   Call = "mkdir"
)

// Plan selects the calls that fail. With the zero value all succeed.
type Plan struct {
	Seed  uint64
	Part  string          // only calls whose path contains this text fail; empty: on every path
	Rates map[Call]Chance // how often calls fail, and with which errors, unless Room is set
	Room  int64           // bytes after which the disk is full; 0: it is never full
	From  int             // number of calls, on paths with Part, that succeed before one may fail
}

// Chance is the probability that a call fails, and its errors.
type Chance struct {
	OneIn  int      // one call in OneIn fails; 0: none
	Errors []string // such as "EIO"; one of them is drawn for each failing call
}

// Short, in place of an error, makes a write succeed with only a part of its bytes.
const Short = "short"

// RandomPlan draws a plan: a disk on which single calls fail now and then, one on which a kind of call often fails, or one that
// is full.
func RandomPlan(seed uint64) Plan {
	chance := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, Rates: map[Call]Chance{}, From: chance.IntN(60)}
	// Some stand there twice, to be drawn more often. The journal's directory is called j.
	p.Part = []string{"", "", "/store/", "/spool", "/archive", "/store/", "/j/"}[chance.IntN(7)]
	oneIn := func(most int) int { return 1 + chance.IntN(most) } // draws Chance.OneIn
	switch chance.IntN(6) {
	case 0: // the disk gets full
		p.Room = 1 + chance.Int64N(48<<10)
	case 1: // syncs fail
		p.Rates[Syncing] = Chance{oneIn(3), []string{"EIO"}}
	case 2: // many calls are interrupted, but not all, or retries would never end
		p.Rates[Writing] = Chance{1 + oneIn(3), []string{Short, "EINTR"}}
		p.Rates[Syncing] = Chance{1 + oneIn(3), []string{"EINTR"}}
		p.Rates[Opening] = Chance{1 + oneIn(4), []string{"EINTR"}}
		p.Rates[Creating] = Chance{1 + oneIn(4), []string{"EINTR"}}
	case 3: // renames fail, and some creations
		p.Rates[Renaming] = Chance{oneIn(3), []string{"EIO", "ENOSPC", "EACCES"}}
		p.Rates[Creating] = Chance{oneIn(20), []string{"EMFILE", "EIO", "ENOSPC", "EACCES"}}
	default: // single calls fail
		p.Rates[Writing] = Chance{oneIn(60), []string{"EIO", "ENOSPC", "EDQUOT", "EINTR", Short, Short}}
		p.Rates[Syncing] = Chance{oneIn(60), []string{"EIO", "ENOSPC", "EINTR"}}
		p.Rates[Renaming] = Chance{oneIn(40), []string{"EIO", "ENOSPC"}}
		p.Rates[Opening] = Chance{oneIn(120), []string{"EMFILE", "ENFILE", "EINTR"}}
		p.Rates[Creating] = Chance{oneIn(40), []string{"EMFILE", "ENFILE", "EIO", "EACCES", "EINTR", "ENOSPC"}}
		p.Rates[Removing] = Chance{oneIn(40), []string{"EIO", "EBUSY"}}
		p.Rates[Cutting] = Chance{oneIn(20), []string{"EIO"}}
		p.Rates[Making] = Chance{oneIn(20), []string{"ENOSPC"}}
	}
	return p
}

// faults carries out a plan.
type faults struct {
	Plan
	chance *rand.Rand
	calls  int            // number of calls so far, on paths with Part
	bytes  int64          // number of bytes written so far, if Room is set
	over   bool           // no call fails any more
	counts map[string]int // Recording.Faults
}

// newFaults returns the faults of a plan at the beginning of a run.
func newFaults(p Plan) *faults {
	return &faults{Plan: p, chance: rand.New(rand.NewPCG(p.Seed, 2)), counts: map[string]int{}}
}

// next decides about the next call, which would write size bytes. fault is the name of the error with which the call has to fail,
// empty if it has to succeed, or Short. For Short, short is the number of bytes to write.
func (f *faults) next(c Call, path string, size int) (fault string, short int) {
	if f.over || !strings.Contains(path+"/", f.Part) { // with "/", so that "/store/" also contains the directory
		return "", 0
	}
	if f.calls++; f.calls <= f.From {
		return "", 0
	}
	if f.Room > 0 {
		return f.nextWithRoom(c, size)
	}
	r := f.Rates[c]
	if r.OneIn == 0 || f.chance.IntN(r.OneIn) > 0 {
		return "", 0
	}
	fault = r.Errors[f.chance.IntN(len(r.Errors))]
	if fault == Short {
		if size < 2 {
			return "", 0
		}
		return f.count(c, Short), 1 + f.chance.IntN(size-1)
	}
	return f.count(c, fault), 0
}

// nextWithRoom is next for a disk that gets full (Plan.Room).
func (f *faults) nextWithRoom(c Call, size int) (fault string, short int) {
	const noSpace = "ENOSPC"
	left := f.Room - f.bytes
	switch {
	case c == Writing && left <= 0, c == Making && left <= 0, c == Creating && left <= 0:
		return f.count(c, noSpace), 0
	case c == Writing && int64(size) > left:
		f.bytes = f.Room
		return f.count(c, Short), int(left)
	case c == Writing:
		f.bytes += int64(size)
	}
	return "", 0
}

// count counts a fault and returns it.
func (f *faults) count(c Call, fault string) string {
	f.counts[string(c)+" "+fault]++
	return fault
}
