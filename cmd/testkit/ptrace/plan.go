package ptrace

import (
	"math/rand/v2"
	"strings"
)

// Call names the system calls that do the same.
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
	Part  string          // only calls whose path contains this fail; empty: on every path
	Rates map[Call]Chance // how often calls fail, and with which errors
	Room  int64           // bytes after which the disk is full; 0: it is never full
	From  int             // number of calls that succeed before one may fail
}

// Chance is the probability that a call fails, and its errors.
type Chance struct {
	OneIn  int      // one call in OneIn fails; 0: none
	Errors []string // such as "EIO"; one of them is drawn
}

// Short stands for a write of only a part of the bytes, which is not an error.
const Short = "short"

// RandomPlan draws a plan: a disk on which single calls fail now and then, one on which a kind of call often fails, or one that
// is full.
func RandomPlan(seed uint64) Plan {
	chance := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, Rates: map[Call]Chance{}, From: chance.IntN(60)}
	p.Part = []string{"", "", "/store/", "/spool", "/archive", "/store/", "/j/"}[chance.IntN(7)]
	often := func(most int) int { return 1 + chance.IntN(most) } // a value of OneIn
	switch chance.IntN(6) {
	case 0: // the disk gets full
		p.Room = 1 + chance.Int64N(48<<10)
	case 1: // syncs fail
		p.Rates[Syncing] = Chance{often(3), []string{"EIO"}}
	case 2: // calls are interrupted, but not always, or retries would never end
		p.Rates[Writing] = Chance{1 + often(3), []string{Short, "EINTR"}}
		p.Rates[Syncing] = Chance{1 + often(3), []string{"EINTR"}}
		p.Rates[Opening] = Chance{1 + often(4), []string{"EINTR"}}
		p.Rates[Creating] = Chance{1 + often(4), []string{"EINTR"}}
	case 3: // renames fail
		p.Rates[Renaming] = Chance{often(3), []string{"EIO", "ENOSPC", "EACCES"}}
		p.Rates[Creating] = Chance{often(20), []string{"EMFILE", "EIO", "ENOSPC", "EACCES"}}
	default: // single calls fail
		p.Rates[Writing] = Chance{often(60), []string{"EIO", "ENOSPC", "EDQUOT", "EINTR", Short, Short}}
		p.Rates[Syncing] = Chance{often(60), []string{"EIO", "ENOSPC", "EINTR"}}
		p.Rates[Renaming] = Chance{often(40), []string{"EIO", "ENOSPC"}}
		p.Rates[Opening] = Chance{often(120), []string{"EMFILE", "ENFILE", "EINTR"}}
		p.Rates[Creating] = Chance{often(40), []string{"EMFILE", "ENFILE", "EIO", "EACCES", "EINTR", "ENOSPC"}}
		p.Rates[Removing] = Chance{often(40), []string{"EIO", "EBUSY"}}
		p.Rates[Cutting] = Chance{often(20), []string{"EIO"}}
		p.Rates[Making] = Chance{often(20), []string{"ENOSPC"}}
	}
	return p
}

// faults carries out a plan.
type faults struct {
	Plan
	chance *rand.Rand
	calls  int            // number of calls so far
	bytes  int64          // written so far, if the disk can be full
	over   bool           // no call fails any more
	done   map[string]int // Recording.Faults
}

// newFaults returns the faults of a plan at the beginning of a run.
func newFaults(p Plan) *faults {
	return &faults{Plan: p, chance: rand.New(rand.NewPCG(p.Seed, 2)), done: map[string]int{}}
}

// next decides about a call that would write size bytes. fault is empty if it succeeds, the name of its error, or Short; short
// is then the number of bytes to write.
func (f *faults) next(c Call, path string, size int) (fault string, short int) {
	if f.over || !strings.Contains(path+"/", f.Part) {
		return "", 0
	}
	if f.calls++; f.calls <= f.From {
		return "", 0
	}
	if f.Room > 0 {
		return f.full(c, size)
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
		return f.note(c, Short), 1 + f.chance.IntN(size-1)
	}
	return f.note(c, fault), 0
}

// full is next for a disk that gets full.
func (f *faults) full(c Call, size int) (fault string, short int) {
	const full = "ENOSPC"
	left := f.Room - f.bytes
	switch {
	case c == Writing && left <= 0, c == Making && left <= 0, c == Creating && left <= 0:
		return f.note(c, full), 0
	case c == Writing && int64(size) > left:
		f.bytes = f.Room
		return f.note(c, Short), int(left)
	case c == Writing:
		f.bytes += int64(size)
	}
	return "", 0
}

// note counts a fault and returns it.
func (f *faults) note(c Call, fault string) string {
	f.done[string(c)+" "+fault]++
	return fault
}
