package team

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
)

const seenName = "seen.json"

// Seen holds the high-water marks of a reader. A signed value below them means that the hub was set back, or withholds
// something.
type Seen struct {
	Roster  uint64          `json:"roster"`  // highest Register.Number
	Devices map[string]Mark `json:"devices"` // by MEMBER/DEVICE
	// Older is set if the roster was older at the last look.
	Older bool `json:"older,omitempty"`
}

// Mark is the high-water mark of a device's copies.
type Mark struct {
	Copy int    `json:"copy"`
	Last uint64 `json:"last"` // newest number in that copy
	// Less is set if the hub had less at the last look.
	Less bool `json:"less,omitempty"`
}

// before reports whether m is of an older time than another mark of the device.
func (m Mark) before(o Mark) bool { return m.Copy < o.Copy || m.Copy == o.Copy && m.Last < o.Last }

// LoadSeen returns what a journal saw.
func LoadSeen(journal string) (Seen, error) {
	return LoadFile(journal, seenName, Seen{Devices: map[string]Mark{}})
}

// See notes how far a device's copies are now, and reports whether they were farther. A device whose copies are
// gone is not reported: its member may have removed them.
func (s *Seen) See(member, device string, now Mark) (less bool) {
	key := member + "/" + device
	before := s.Devices[key]
	if less = now.before(before); less {
		now = before
	}
	now.Less = less
	s.Devices[key] = now
	return less
}

// SeeRoster notes which roster the hub has now.
func (s *Seen) SeeRoster(number uint64) {
	s.Older = number < s.Roster
	s.Roster = max(s.Roster, number)
}

// Save adds what was seen to what others saw meanwhile; it need not be durable.
func (s Seen) Save(journal string) error {
	return locked(journal, func() error {
		saved, err := LoadSeen(journal)
		if err != nil {
			return errors.Join(err, disk.Remove(filepath.Join(Dir(journal), seenName))) // the next look begins anew
		}
		for key, m := range saved.Devices {
			if now, ok := s.Devices[key]; !ok || now.before(m) {
				s.Devices[key] = m
			}
		}
		s.Roster = max(s.Roster, saved.Roster)
		return replaceJSON(journal, seenName, s)
	})
}

// Less lists the members with fewer events at the hub than were seen.
func (s Seen) Less() (members []string) {
	for key, m := range s.Devices {
		if m.Less {
			member, _, _ := strings.Cut(key, "/")
			members = append(members, member)
		}
	}
	slices.Sort(members)
	return slices.Compact(members)
}

// RollbackNotice returns a sentence for people about what the hub had and has no more, and what to do; empty if it has
// everything.
func (s Seen) RollbackNotice() string {
	less := s.Less()
	const why = " than was seen here before: it was set back to an older time, or withholds something; "
	switch {
	case s.Older:
		return "the hub's list of members is older" + why + "whoever runs it calls journal team reload"
	case len(less) > 0:
		return "the hub has less of " + strings.Join(less, ", ") + why + "their machines give it again what they have when they reach it, else ask whoever runs it"
	}
	return ""
}
