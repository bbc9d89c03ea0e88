package events

import "strings"

// Direction is the end of a file at which its newest entries stand.
type Direction int

const (
	// NoDirection means that the headings do not tell.
	NoDirection Direction = iota
	// NewestFirst is the order that working notes are meant to have.
	NewestFirst
	// NewestLast is the order of notes that are appended at the end, as many
	// real ones are (docs/FILES.md §S1).
	NewestLast
)

// DirectionOf tells the direction from the dates in the headings of entries
// (S1.5: newest means newest, in either file order). Dates are written by a
// model, so they order entries within one file and nothing else (S1.6).
func DirectionOf(entries []Entry) Direction {
	rising, falling := 0, 0
	last := ""
	for _, e := range entries {
		when := dateIn(e.Heading)
		if when == "" {
			continue
		}
		if last != "" {
			// "2026-02-18" and "2026-02-18T09:00" do not say which is newer.
			n := min(len(last), len(when))
			switch c := strings.Compare(last[:n], when[:n]); {
			case c < 0:
				rising++
			case c > 0:
				falling++
			}
		}
		last = when
	}
	switch {
	case rising > falling:
		return NewestLast
	case falling > rising:
		return NewestFirst
	}
	return NoDirection
}

// dateIn gives the first date of a heading, with the time of day after it if
// there is one: "2026-02-18" or "2026-02-18 09:00".
func dateIn(s string) string {
	const date, clock = "0000-00-00", " 00:00"
	for i := 0; i+len(date) <= len(s); i++ {
		if !shaped(s[i:], date) || i > 0 && digit(s[i-1]) {
			continue
		}
		day, rest := s[i:i+len(date)], s[i+len(date):]
		if len(rest) > 0 && (rest[0] == 'T' || rest[0] == ' ') && shaped(rest[1:], clock[1:]) {
			return day + " " + rest[1:len(clock)]
		}
		return day
	}
	return ""
}

// shaped says whether s begins with digits where the pattern has zeros, and
// with the pattern's own characters elsewhere.
func shaped(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if pattern[i] == '0' && !digit(s[i]) || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
