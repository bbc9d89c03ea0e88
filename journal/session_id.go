package journal

import (
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
)

// AmbiguousError is the error for a prefix that the ids of several sessions have.
type AmbiguousError struct {
	Prefix   string
	Sessions []Session
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d sessions begin with %s", len(e.Sessions), e.Prefix)
}

// FindSession finds the session with an id, or the only session whose id has this prefix. all must hold each
// session once. A session that an agent reported is preferred to one that was only recorded by hand, because
// the latter may stem from a prefix that was taken for an id. An import puts events that hooks missed into
// parts, which are sessions with ids such as ID~1. A prefix without ~ means the session itself, a prefix
// with ~1 means its first part.
func FindSession(all []Session, prefix string) (Session, error) {
	session, part := splitID(prefix)
	found := slices.DeleteFunc(slices.Clone(all), func(s Session) bool {
		matches := strings.HasPrefix(s.ID, session) && (part == "" || partOf(s.ID) == part)
		return !matches
	})
	found = preferred(found, func(s Session) bool { return s.ByAgent })
	found = preferred(found, func(s Session) bool { return partOf(s.ID) == part })
	found = preferred(found, func(s Session) bool { return s.ID == prefix })
	switch len(found) {
	case 0:
		return Session{}, fmt.Errorf("%w %s", ErrNoSession, prefix)
	case 1:
		return found[0], nil
	}
	return Session{}, &AmbiguousError{prefix, found}
}

// preferred returns the sessions that better reports true for, or all if there are none.
func preferred(sessions []Session, better func(Session) bool) []Session {
	best := slices.DeleteFunc(slices.Clone(sessions), func(s Session) bool { return !better(s) })
	if len(best) == 0 {
		return sessions
	}
	return best
}

// splitID splits an id into the session and the part, which is empty or begins with ~.
func splitID(id string) (session, part string) {
	if i := strings.IndexByte(id, '~'); i >= 0 {
		return id[:i], id[i:]
	}
	return id, ""
}

// partOf returns the part of an id, as splitID does.
func partOf(id string) string {
	_, part := splitID(id)
	return part
}

// shortIDBytes is the number of bytes of an id that distinguish it from most others.
const shortIDBytes = 8

// ShortID returns the first shortIDBytes of an id, up to the end of a character, and its part.
func ShortID(id string) string { return short(id, shortIDBytes) }

// short returns at least the first n bytes of an id, up to the end of a character, and its part.
func short(id string, n int) string {
	session, part := splitID(id)
	return session[:text.After(session, n)] + part
}

// ShortIDs returns, by id, a short form of each session's id for FindSession: a prefix that no other of the sessions has, or
// the whole id, and the id's part. The prefix is as long as that of ShortID, or longer.
func ShortIDs(all []Session) map[string]string {
	sessions := make([]string, len(all))
	for i, s := range all {
		sessions[i], _ = splitID(s.ID)
	}
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	lengths := map[string]int{} // of the prefixes in bytes, by session
	for i, s := range sessions {
		lengths[s] = max(lengths[s], shortIDBytes)
		if i > 0 {
			n := 1 + commonPrefix(sessions[i-1], s)
			lengths[sessions[i-1]], lengths[s] = max(lengths[sessions[i-1]], n), max(lengths[s], n)
		}
	}
	prefixes := map[string]string{}
	for _, s := range all {
		session, _ := splitID(s.ID)
		prefixes[s.ID] = short(s.ID, lengths[session])
	}
	return prefixes
}

// commonPrefix returns the length in bytes of the common prefix of two ids.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
