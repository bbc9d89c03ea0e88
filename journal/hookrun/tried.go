package hookrun

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"journal/journal/wire/client"
)

// variable is the environment variable by which a carrier reports its attempt to the program that it becomes. A carrier
// that sets it also sets GOMAXPROCS, because one hook needs no more, and GOTRACEBACK (ADR-0005).
const variable = "JOURNAL_HOOK_TRIED"

// Tried is the attempt of a carrier at a call before it left the call to another program.
type Tried struct {
	ID    string    // of the first event
	Began time.Time // when the agent called
	Cut   bool      // stdin did not end in time: it is incomplete
	Asked bool      // the owner got the call, and the outcome is not known
	Late  bool      // because it did not answer in time
	Floor uint64    // client.Head before that
}

// TakeTried returns the carrier's report in the environment of this process, nil for none, and removes it there,
// because it is not about child processes. Every program that takes hooks calls it before it starts another one.
var TakeTried = sync.OnceValue(func() *Tried {
	value, carried := os.LookupEnv(variable)
	if !carried {
		return nil
	}
	_ = os.Unsetenv(variable) // cannot fail for this name
	for name, value := range map[string]string{"GOMAXPROCS": "1", "GOTRACEBACK": "crash"} {
		if os.Getenv(name) == value {
			_ = os.Unsetenv(name)
		}
	}
	return parseTried(value)
})

// parseTried parses the value of variable: id, begin in ns since 1970 UTC, floor, and letters for flags: c for Cut, a
// for Asked, l for Late. It returns nil for anything else.
func parseTried(value string) *Tried {
	words := strings.Split(value, " ")
	if len(words) != 4 || !isID(words[0]) {
		return nil
	}
	start, err := strconv.ParseInt(words[1], 10, 64)
	floor, badFloor := strconv.ParseUint(words[2], 10, 64)
	if err != nil || badFloor != nil {
		return nil
	}
	hasFlag := func(letter string) bool { return strings.Contains(words[3], letter) }
	return &Tried{ID: words[0], Began: time.Unix(0, start), Floor: floor, Cut: hasFlag("c"), Asked: hasFlag("a"), Late: hasFlag("l")}
}

// report returns the attempt in the appender's form.
func (t *Tried) report() *client.Tried {
	if !t.Asked {
		return nil
	}
	return &client.Tried{Floor: t.Floor, Late: t.Late}
}

// isID reports whether a carrier made an id: a UUID of version 7. Other ids are derived and have
// a meaning.
func isID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.Version() == 7 && u.String() == id
}
