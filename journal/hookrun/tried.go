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

// triedVariable is the environment variable by which journal-hook reports its attempt to the program journal, to which it leaves
// the call. journal-hook then also sets GOMAXPROCS to 1, because a hook needs one thread, and GOTRACEBACK to crash (ADR-0005).
const triedVariable = "JOURNAL_HOOK_TRIED"

// Tried is the attempt of journal-hook at a call before it left the call to the program journal.
type Tried struct {
	ID    string    // id of the first event
	Began time.Time // when the agent called
	Cut   bool      // stdin did not end in time: it is incomplete
	Asked bool      // the owner may have stored the call, or was too slow
	Late  bool      // the owner was too slow: it did not accept the connection in time, or did not answer in time
	Floor uint64    // client.Head before the owner received the call
}

// TakeTried returns the attempt that the environment of this process reports, nil for none. It removes the variables, so that
// child processes do not inherit them. It must be called before the process starts another.
var TakeTried = sync.OnceValue(func() *Tried {
	value, found := os.LookupEnv(triedVariable)
	if !found {
		return nil
	}
	_ = os.Unsetenv(triedVariable) // cannot fail for this name
	for name, value := range map[string]string{"GOMAXPROCS": "1", "GOTRACEBACK": "crash"} {
		if os.Getenv(name) == value {
			_ = os.Unsetenv(name)
		}
	}
	return parseTried(value)
})

// parseTried parses the value of triedVariable: the id, the begin in ns since 1970 UTC, the floor, and letters for flags (c for
// Cut, a for Asked, l for Late). It returns nil for any other value.
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
	hasFlag := func(letter string) bool { return strings.Contains(words[3], letter) }
	return &Tried{ID: words[0], Began: time.Unix(0, began), Floor: floor, Cut: hasFlag("c"), Asked: hasFlag("a"), Late: hasFlag("l")}
}

// forAppender returns the attempt in the form of package client, nil if t.Asked is false.
func (t *Tried) forAppender() *client.Tried {
	if !t.Asked {
		return nil
	}
	return &client.Tried{Floor: t.Floor, Late: t.Late}
}

// isID reports whether an id is one that journal-hook makes: a UUID of version 7. Other ids of events are derived from their
// content.
func isID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.Version() == 7 && u.String() == id
}
