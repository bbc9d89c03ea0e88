package journal

import (
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
)

// AmbiguousError says that several sessions begin with what was given.
type AmbiguousError struct {
	Given    string
	Sessions []Session
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions begin with %s", len(e.Sessions), e.Given)
}

// Named finds the session that an id, or a beginning of it, names among some, each there once. A
// session that an agent told of goes before one that only holds what was recorded by hand: that one
// may have come of a beginning that was taken for an id. An import puts what hooks missed into parts,
// ID~1 and on; a beginning of ID means ID, and with ~1 behind it the part.
func Named(all []Session, given string) (Session, error) {
	var found []Session
	for _, s := range all {
		if begins(s.ID, given) {
			found = append(found, s)
		}
	}
	found = preferred(found, func(s Session) bool { return s.Told })
	found = preferred(found, func(s Session) bool { return part(s.ID) == part(given) })
	found = preferred(found, func(s Session) bool { return s.ID == given })
	switch len(found) {
	case 0:
		return Session{}, fmt.Errorf("%w %s", ErrNoSession, given)
	case 1:
		return found[0], nil
	}
	return Session{}, &AmbiguousError{given, found}
}

// preferred keeps the better of some sessions where there are any.
func preferred(some []Session, better func(Session) bool) []Session {
	best := slices.DeleteFunc(slices.Clone(some), func(s Session) bool { return !better(s) })
	if len(best) == 0 {
		return some
	}
	return best
}

// begins says whether an id begins with what was given, in the session and in the part.
func begins(id, given string) bool {
	session, _ := parts(given)
	return strings.HasPrefix(id, session) && (part(given) == "" || part(id) == part(given))
}

// parts gives an id without the number of a part, and that with its mark.
func parts(id string) (session, part string) {
	if i := strings.IndexByte(id, '~'); i >= 0 {
		return id[:i], id[i:]
	}
	return id, ""
}

func part(id string) string {
	_, part := parts(id)
	return part
}

// shortest is how many bytes of an id tell it from most others.
const shortest = 8

// ShortID gives what a person needs to see of an id to tell it from most others: its beginning, and
// its part.
func ShortID(id string) string { return short(id, shortest) }

func short(id string, n int) string {
	session, part := parts(id)
	return session[:text.After(session, n)] + part
}

// ShortIDs gives for the id of each session the shortest beginning that names it among all of them,
// as ShortID does where that is enough.
func ShortIDs(all []Session) map[string]string {
	sessions := make([]string, len(all))
	for i, s := range all {
		sessions[i], _ = parts(s.ID)
	}
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	needs := map[string]int{} // bytes, by session
	for i, s := range sessions {
		needs[s] = max(needs[s], shortest)
		if i > 0 {
			n := 1 + common(sessions[i-1], s)
			needs[sessions[i-1]], needs[s] = max(needs[sessions[i-1]], n), max(needs[s], n)
		}
	}
	names := map[string]string{}
	for _, s := range all {
		session, _ := parts(s.ID)
		names[s.ID] = short(s.ID, needs[session])
	}
	return names
}

// common is how many bytes two ids begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
