package journal

import (
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
)

// AmbiguousError means that a prefix begins the ids of several sessions.
type AmbiguousError struct {
	Prefix   string
	Sessions []Session
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions begin with %s", len(e.Sessions), e.Prefix)
}

// FindSession finds the session with an id, or the only one whose id has this prefix. all must hold each
// session once. A session that an agent reported is preferred to one that was only recorded by hand: the
// latter may stem from a prefix that was taken for an id. An import puts events that hooks missed into
// parts, named ID~1 and so on: a prefix without ~ means the session itself, one with ~1 that part.
func FindSession(all []Session, prefix string) (Session, error) {
	found := slices.DeleteFunc(slices.Clone(all), func(s Session) bool { return !hasIDPrefix(s.ID, prefix) })
	found = preferred(found, func(s Session) bool { return s.ByAgent })
	found = preferred(found, func(s Session) bool { return part(s.ID) == part(prefix) })
	found = preferred(found, func(s Session) bool { return s.ID == prefix })
	switch len(found) {
	case 0:
		return Session{}, fmt.Errorf("%w %s", ErrNoSession, prefix)
	case 1:
		return found[0], nil
	}
	return Session{}, &AmbiguousError{prefix, found}
}

// preferred keeps the better sessions, or all if none is better.
func preferred(sessions []Session, better func(Session) bool) []Session {
	best := slices.DeleteFunc(slices.Clone(sessions), func(s Session) bool { return !better(s) })
	if len(best) == 0 {
		return sessions
	}
	return best
}

// hasIDPrefix reports whether an id begins with a prefix, in the session and in the part.
func hasIDPrefix(id, prefix string) bool {
	session, _ := parts(prefix)
	return strings.HasPrefix(id, session) && (part(prefix) == "" || part(id) == part(prefix))
}

// parts splits an id into the session and the part with its mark.
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

// shortIDBytes is the number of bytes of an id that distinguish it from most others.
const shortIDBytes = 8

// ShortID returns the beginning of an id and its part, enough to distinguish it from most others.
func ShortID(id string) string { return short(id, shortIDBytes) }

func short(id string, n int) string {
	session, part := parts(id)
	return session[:text.After(session, n)] + part
}

// ShortIDs returns for each session's id the shortest prefix that is unique among all of them; it is
// that of ShortID if that suffices.
func ShortIDs(all []Session) map[string]string {
	sessions := make([]string, len(all))
	for i, s := range all {
		sessions[i], _ = parts(s.ID)
	}
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	needs := map[string]int{} // bytes needed, by session
	for i, s := range sessions {
		needs[s] = max(needs[s], shortIDBytes)
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

// common returns the length in bytes of the common prefix of two ids.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
