package team

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/replay/recovery"
)

// Copy describes the copy of the log that the hub is to have, and the copies that it has. No number is used twice: a copy is never
// replaced by another of its number.
type Copy struct {
	Number  int    `json:"number"`  // from 1 up; 0 before the first one
	Epoch   int    `json:"epoch"`   // of the log, which a rebuild raises
	Repairs uint64 `json:"repairs"` // of this log
	Share   Share  `json:"share"`
	// Copies below EraseBelow hold events that have to go, and are removed before anything else. Those from
	// there to KeepBelow stay, because a repair may have lost events that they hold. Others are removed when the
	// newest is complete.
	EraseBelow int `json:"erase_below,omitempty"`
	KeepBelow  int `json:"keep_below,omitempty"`
	// AtHub are the numbers of the copies that the hub has, as far as is known.
	AtHub []int `json:"at_hub,omitempty"`
	// Facts is the largest counter of this device's facts (package facts).
	Facts uint64 `json:"facts,omitempty"`
	// GoneBy is the time from which no file of the hub's nodes holds events that were removed.
	GoneBy time.Time `json:"gone_by,omitzero"`
	// Settled is the share at the time when the hub and the log last agreed.
	Settled Share `json:"settled"`
	// Adopt is the epoch that a restore from the hub's copy gave the log, which goes on with that copy; 0 for none.
	Adopt int `json:"adopt,omitempty"`
	// RestoreAttempts counts the attempts to restore the log since it and the hub agreed.
	RestoreAttempts int `json:"returns,omitempty"`
	// Former are the devices that this journal was. Their copies at the hub belong to another log now.
	Former []string `json:"former,omitempty"`
	// DivergedAt maps former devices to the event number at which their logs and this one diverged.
	DivergedAt map[string]uint64 `json:"parted,omitempty"`
	// ErasedThrough is the EraseBelow up to which forgotten events were erased from the copies of Former.
	ErasedThrough int `json:"swept,omitempty"`
}

// Next returns the copy that the hub is to have of a share at an epoch of the log, after so many repairs: c, or
// one with a new number. A rebuild that was no repair removed events, by journal forget or retention, and older copies
// have to be erased. A lower epoch means a different log, whose history is unknown.
func (c Copy) Next(epoch int, repairs uint64, share Share) Copy {
	if c.Adopt == epoch {
		c.Epoch, c.Repairs, c.Adopt = epoch, repairs, 0
	}
	sameLog := c.Epoch == epoch || share.None() && c.Share.None()
	if sameLog && c.Share.Same(share) {
		return c
	}
	n := c
	n.Number, n.Epoch, n.Repairs, n.Share = slices.Max(append([]int{c.Number}, c.AtHub...))+1, epoch, repairs, share
	onlyRepaired := epoch >= c.Epoch && epoch-c.Epoch == int(repairs)-int(c.Repairs) // each rebuild since was a repair
	switch {
	case c.Share.None(): // there was no copy
	case !share.Covers(c.Share) || !onlyRepaired:
		n.EraseBelow = n.Number
	case epoch != c.Epoch:
		n.KeepBelow = n.Number
	}
	return n
}

// Erase returns the numbers of the copies at the hub that have to be removed before anything else happens there.
func (c Copy) Erase() []int {
	return slices.DeleteFunc(slices.Clone(c.AtHub), func(n int) bool { return n >= c.EraseBelow })
}

// Unswept reports whether copies of Former may hold events that were forgotten here.
func (c Copy) Unswept() bool { return len(c.Former) > 0 && c.ErasedThrough < c.EraseBelow }

// Pending counts the copies that hold events that have to go, as far as is known.
func (c Copy) Pending(now time.Time) int {
	n := len(c.Erase())
	if c.Unswept() {
		n += len(c.Former)
	}
	if n == 0 && now.Before(c.GoneBy) {
		n = 1 // which is removed, but still in Raft logs
	}
	return n
}

// Replaced returns the numbers of the copies at the hub that are removed when the newest one is complete.
func (c Copy) Replaced() []int {
	return slices.DeleteFunc(slices.Clone(c.AtHub), func(n int) bool { return n < c.KeepBelow || n >= c.Number })
}

// LoadCopy returns the copy that a journal's hub is to have.
func LoadCopy(journal string) (Copy, error) { return LoadFile(journal, copyName, Copy{}) }

// Save replaces the file of the copy durably, unless it has that content already.
func (c Copy) Save(journal string) error { return saveFile(journal, copyName, c, disk.ReplaceShared) }

// Status is the state of a journal's link to its hub. Scripts rely on its JSON.
type Status struct {
	Team      string    `json:"team"`
	Member    string    `json:"member"`
	Device    string    `json:"device"`
	Connected bool      `json:"connected"`
	Contact   time.Time `json:"contact,omitzero"` // when the hub answered last
	Copy      int       `json:"copy"`             // its number; 0: nothing is shared
	Head      uint64    `json:"head"`             // newest sequence of the log
	Hub       uint64    `json:"hub"`              // newest sequence that the hub has
	Behind    uint64    `json:"behind"`           // number of events between Hub and Head
	// Pending counts the copies at the hub that hold events that have to go.
	Pending int    `json:"pending"`
	Problem string `json:"problem,omitempty"`
	// Refused is set if the hub was reached, and refused this device, or is not the hub of the invitation.
	Refused bool      `json:"refused,omitempty"`
	At      time.Time `json:"at,omitzero"` // when this was written
}

// LoadStatus returns the status that the owner wrote last.
func LoadStatus(journal string) (Status, error) { return LoadFile(journal, statusName, Status{}) }

// Save replaces the file of the status for other processes. It need not be durable.
func (s Status) Save(journal string) error { return replaceJSON(journal, statusName, s) }

// replaceJSON saves v in a file of the team's directory that need not be durable.
func replaceJSON(journal, name string, v any) error {
	return saveFile(journal, name, v, disk.Replace)
}

// Seen holds the high-water marks of a reader. A signed value below one means that the hub was rolled back, or withholds
// something.
type Seen struct {
	Roster  Roster          `json:"team"`    // the newest
	Devices map[string]Mark `json:"devices"` // by MEMBER/DEVICE
	// Older is set if the hub's roster was older at the last query.
	Older bool `json:"older,omitempty"`
}

// Mark is the high-water mark of a device's copies.
type Mark struct {
	Copy int    `json:"copy"`
	Last uint64 `json:"last"` // newest number in that copy
	// Less is set if the hub had less at the last query.
	Less bool `json:"less,omitempty"`
}

// before reports whether m is below another mark of the device.
func (m Mark) before(o Mark) bool { return m.Copy < o.Copy || m.Copy == o.Copy && m.Last < o.Last }

// LoadSeen returns the high-water marks of a journal.
func LoadSeen(journal string) (Seen, error) {
	return LoadFile(journal, seenName, Seen{Devices: map[string]Mark{}})
}

// Reset clears Less in the marks of a member. See then sets it for the devices that have copies: the copies of a device that it does not see
// any more may have been removed.
func (s *Seen) Reset(member string) {
	for key, m := range s.Devices {
		if strings.HasPrefix(key, member+"/") {
			m.Less = false
			s.Devices[key] = m
		}
	}
}

// See raises the mark of a device to that of its copies now, and reports whether the old mark was higher.
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

// SeeRoster saves a roster that the hub has, if it is newer than those that were seen.
func SeeRoster(journal string, now Roster) error {
	seen, err := LoadSeen(journal)
	if err != nil || now.Number <= seen.Roster.Number {
		return err
	}
	seen.SeeRoster(now)
	return seen.Save(journal)
}

// SeeRoster notes the roster that the hub has now.
func (s *Seen) SeeRoster(now Roster) {
	if s.Older = now.Number < s.Roster.Number; !s.Older {
		s.Roster = now
	}
}

// Save merges the marks with those that other processes saved meanwhile, unless the journal has left its team. It need not be durable.
func (s Seen) Save(journal string) error {
	return locked(journal, func() error {
		if !Joined(journal) {
			return nil
		}
		saved, err := LoadSeen(journal)
		if err != nil {
			return errors.Join(err, disk.Remove(filepath.Join(Dir(journal), seenName))) // the next query begins without marks
		}
		for key, m := range saved.Devices {
			if now, ok := s.Devices[key]; !ok || now.before(m) {
				s.Devices[key] = m
			}
		}
		if s.Roster.Number < saved.Roster.Number {
			s.Roster = saved.Roster
		}
		return replaceJSON(journal, seenName, s)
	})
}

// Less lists the members with less at the hub than was seen.
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

// RollbackNotice returns a sentence for people that names what the hub lacks and what to do. It is empty if the hub has everything that was seen.
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

// maxHeard bounds each list of Heard: with the longest texts the file stays below fileBytes.
const maxHeard = 200

// Heard holds what others decided and left unfinished in projects of this log, as of the last poll.
type Heard struct {
	Decisions  []Decision       `json:"decisions"` // newest first
	Unfinished []recovery.Offer `json:"unfinished"`
}

// Decision is a decision of another device that held at the last poll.
type Decision struct {
	Project  string `json:"project"` // key in this log
	Member   string `json:"member"`
	Device   string `json:"device"`
	Session  string `json:"session"`
	Seq      uint64 `json:"seq"` // in the log of that device
	At       int64  `json:"at"`  // ns since 1970
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // the question that the person answered with it
}

// LoadHeard returns the decisions and unfinished work of others in a project, in all projects for an empty key. It leaves out projects
// whose context is no longer shared. It only reads files.
func LoadHeard(journal, project string) (Heard, error) {
	share, err := LoadShare(journal)
	if err != nil {
		return Heard{}, err
	}
	h, err := LoadFile(journal, heardName, Heard{})
	unwanted := func(key string) bool { return !share.SharesContext(key) || project != "" && key != project }
	h.Decisions = slices.DeleteFunc(h.Decisions, func(d Decision) bool { return unwanted(d.Project) })
	h.Unfinished = slices.DeleteFunc(h.Unfinished, func(o recovery.Offer) bool { return unwanted(o.Project) })
	return h, err
}

// Save replaces the file, or removes it if h is empty or the journal has left its team meanwhile. It need not be durable.
func (h Heard) Save(journal string) error {
	return locked(journal, func() error {
		if len(h.Decisions)+len(h.Unfinished) == 0 || !Joined(journal) {
			return disk.Remove(filepath.Join(Dir(journal), heardName))
		}
		h.Decisions, h.Unfinished = h.Decisions[:min(len(h.Decisions), maxHeard)], h.Unfinished[:min(len(h.Unfinished), maxHeard)]
		return replaceJSON(journal, heardName, h)
	})
}
