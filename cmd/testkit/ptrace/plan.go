package ptrace

import (
	"math/rand/v2"
	"strings"
)

// Call identifies calls that fail alike.
type Call string

// The calls that can fail.
const (
	Writing  Call = "write"
	Syncing  Call = "fsync"
	Renaming Call = "rename"
	Opening  Call = "open"   // of a file that is there
	Creating Call = "create" // of one that is not
	Removing Call = "unlink"
	Cutting  Call = "truncate"
	Making   Call = "mkdir"
)

// Plan selects the calls that fail. The zero value lets all succeed.
type Plan struct {
	Seed  uint64
	Part  string          // of the path that a file has below the followed directory; empty: every file
	Rates map[Call]Chance // how often, and how
	Room  int64           // bytes that the disk takes before it is full; 0: it is never full
	From  int             // calls that succeed before one may fail
}

// Chance is the probability that a call fails.
type Chance struct {
	OneIn  int // 1: always; 0: never
	Errors []string
}

// Short is the error of a write that takes a part of its bytes, which is none.
const Short = "short"

// RandomPlan draws a plan: a disk on which single calls fail now and then, one on which a kind of call
// does not work any more, or one that is full.
func RandomPlan(seed uint64) Plan {
	chance := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, Rates: map[Call]Chance{}, From: chance.IntN(60)}
	p.Part = []string{"", "", "/store/", "/spool", "/archive", "/store/", "/j/"}[chance.IntN(7)]
	often := func(most int) int { return 1 + chance.IntN(most) } // one in so many
	switch chance.IntN(6) {
	case 0: // full, and what cannot be made then
		p.Room = 1 + chance.Int64N(48<<10)
	case 1: // nothing can be synced any more
		p.Rates[Syncing] = Chance{often(3), []string{"EIO"}}
	case 2: // interrupted, in parts; not always, or nothing would ever end
		p.Rates[Writing] = Chance{1 + often(3), []string{Short, "EINTR"}}
		p.Rates[Syncing] = Chance{1 + often(3), []string{"EINTR"}}
		p.Rates[Opening] = Chance{1 + often(4), []string{"EINTR"}}
		p.Rates[Creating] = Chance{1 + often(4), []string{"EINTR"}}
	case 3: // names cannot be changed
		p.Rates[Renaming] = Chance{often(3), []string{"EIO", "ENOSPC", "EACCES"}}
		p.Rates[Creating] = Chance{often(20), []string{"EMFILE", "EIO", "ENOSPC", "EACCES"}}
	default: // now and then
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
	calls  int
	bytes  int64
	over   bool
	done   map[string]int
}

func newFaults(p Plan) *faults {
	return &faults{Plan: p, chance: rand.New(rand.NewPCG(p.Seed, 2)), done: map[string]int{}}
}

// next returns the fate of a call that is about to be made: the name of its error, or how many of
// the bytes that it brings are taken when that is less.
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

// full is next on a disk that takes so many bytes.
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

func (f *faults) note(c Call, fault string) string {
	f.done[string(c)+" "+fault]++
	return fault
}
