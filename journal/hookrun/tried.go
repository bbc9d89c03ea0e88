package hookrun

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"journal/journal/wire/client"
)

// variable is that of the environment by which a carrier tells the program that it becomes
// what it did before. Where it is set, GOMAXPROCS is the carrier's too: one hook needs no more.
const variable = "JOURNAL_HOOK_TRIED"

// Tried is what a carrier of hooks did with a call before it left the call to another program.
type Tried struct {
	ID    string    // of the first event
	Began time.Time // when the agent called
	Cut   bool      // stdin had not ended in time: it is what had come
	Asked bool      // the owner was handed the call, and what became of it is not known
	Late  bool      // because it did not answer in time
	Floor uint64    // client.Head before that
}

// TakeTried gives what a carrier says in the environment of this process, nil for nothing, and
// takes it out there: it is about this call, and no child's. Each program that takes hooks
// calls it before it starts another.
var TakeTried = sync.OnceValue(func() *Tried {
	value, carried := os.LookupEnv(variable)
	if !carried {
		return nil
	}
	_ = os.Unsetenv(variable) // no such name fails
	if os.Getenv("GOMAXPROCS") == "1" {
		_ = os.Unsetenv("GOMAXPROCS")
	}
	return parseTried(value)
})

// parseTried reads the value of variable: id, begin in ns since 1970 UTC, floor, and the letters
// of what is so: c for Cut, a for Asked, l for Late. It is nil for anything else.
func parseTried(value string) *Tried {
	words := strings.Split(value, " ")
	if len(words) != 4 || !isID(words[0]) {
		return nil
	}
	began, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return nil
	}
	floor, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return nil
	}
	has := func(letter string) bool { return strings.Contains(words[3], letter) }
	return &Tried{ID: words[0], Began: time.Unix(0, began), Floor: floor, Cut: has("c"), Asked: has("a"), Late: has("l")}
}

// report is what an appender has to know of it.
func (t *Tried) report() *client.Tried {
	if !t.Asked {
		return nil
	}
	return &client.Tried{Floor: t.Floor, Late: t.Late}
}

// isID says whether an id is one that a carrier makes: a UUID of version 7. Others are derived,
// and mean something.
func isID(id string) bool {
	if len(id) != 36 || id[14] != '7' {
		return false
	}
	for i := range len(id) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (id[i] == '-') || !dash && !strings.Contains("0123456789abcdef", id[i:i+1]) {
			return false
		}
	}
	return true
}
