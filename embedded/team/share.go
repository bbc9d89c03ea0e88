package team

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
	"journal/journal/record"
	"journal/journal/wire"
)

// Files of the team's directory.
const (
	memberName   = "member.json"
	deviceName   = "device"
	shareName    = "share.json"
	copyName     = "copy.json"
	statusName   = "status.json"
	seenName     = "seen.json"
	heardName    = "heard.json"
	projectsName = "projects.json"
)

// fileBytes bounds the files that are read here. The largest is that of Seen: the roster in it comes in one message of the hub, of a megabyte
// at most.
const fileBytes = 4 << 20

// Share selects the part of a log that its member shares with the team. The zero value selects nothing.
type Share struct {
	All      bool     `json:"all,omitempty"` // all of every project, also of later ones
	Projects []string `json:"projects"`      // keys of those whose events are shared, sorted
	// Context holds the keys of the projects whose decisions and unfinished work are exchanged with colleagues (J.9),
	// sorted.
	Context []string `json:"context,omitempty"`
}

// LoadShare returns the share of a journal.
func LoadShare(journal string) (Share, error) { return LoadFile(journal, shareName, Share{}) }

// ChangeShare saves what change makes of the share of a journal, under a lock. Then it removes what was heard about projects whose context
// is no longer shared.
func ChangeShare(journal string, change func(Share) (Share, error)) error {
	err := changeFile(journal, shareName, Share{}, func(s Share) (Share, error) {
		s, err := change(s)
		for _, keys := range []*[]string{&s.Projects, &s.Context} {
			slices.Sort(*keys)
			*keys = slices.Compact(*keys)
		}
		return s, err
	})
	if err != nil {
		return err
	}
	heard, err := LoadHeard(journal, "") // without the projects whose context is no longer shared
	return errors.Join(err, heard.Save(journal))
}

// With returns the share with the given parts of a project, and no other part of it.
func (s Share) With(project string, events, context bool) Share {
	s = s.Without(project)
	if events {
		s.Projects = append(s.Projects, project)
	}
	if context {
		s.Context = append(s.Context, project)
	}
	return s
}

// Without returns the share without a project.
func (s Share) Without(project string) Share {
	isProject := func(key string) bool { return key == project }
	s.Projects = slices.DeleteFunc(slices.Clone(s.Projects), isProject)
	s.Context = slices.DeleteFunc(slices.Clone(s.Context), isProject)
	return s
}

// SharesEvents reports whether the events of a project are shared.
func (s Share) SharesEvents(project string) bool {
	return s.All || slices.Contains(s.Projects, project)
}

// SharesContext reports whether the context of a project is shared.
func (s Share) SharesContext(project string) bool {
	return s.All || slices.Contains(s.Context, project)
}

// Keys lists the projects that are shared by name, sorted. All adds none.
func (s Share) Keys() []string {
	keys := slices.Concat(s.Projects, s.Context)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Lines describes the share for people, a line for each project.
func (s Share) Lines() (lines []string) {
	if s.All {
		return []string{"every project"}
	}
	for _, key := range s.Keys() {
		switch {
		case !s.SharesEvents(key):
			key += " (only decisions and unfinished work)"
		case !s.SharesContext(key):
			key += " (only events)"
		}
		lines = append(lines, key)
	}
	if lines == nil {
		return []string{"nothing"}
	}
	return lines
}

// None reports whether nothing is shared.
func (s Share) None() bool { return !s.All && len(s.Projects)+len(s.Context) == 0 }

// Covers reports whether a share has everything that another has.
func (s Share) Covers(o Share) bool {
	lacksEvents := func(key string) bool { return !s.SharesEvents(key) }
	lacksContext := func(key string) bool { return !s.SharesContext(key) }
	return s.All || !o.All && !slices.ContainsFunc(o.Projects, lacksEvents) && !slices.ContainsFunc(o.Context, lacksContext)
}

// Same reports whether two shares are equal.
func (s Share) Same(o Share) bool { return s.Covers(o) && o.Covers(s) }

// ProjectChoices holds the choices of a person for a project of the log.
type ProjectChoices struct {
	Name string `json:"name,omitempty"` // by which it is compared with projects of others
	Root string `json:"root,omitempty"` // its directory, which the log may not know yet
}

// LoadProjects returns the choices of a person for projects, by key.
func LoadProjects(journal string) (map[string]ProjectChoices, error) {
	return LoadFile(journal, projectsName, map[string]ProjectChoices{})
}

// ChangeProject saves what change makes of the choices for a project, under a lock.
func ChangeProject(journal, project string, change func(*ProjectChoices)) error {
	return changeFile(journal, projectsName, map[string]ProjectChoices{}, func(all map[string]ProjectChoices) (map[string]ProjectChoices, error) {
		choices := all[project]
		change(&choices)
		all[project] = choices
		return all, nil
	})
}

// Derive returns the record that the copy has in place of a record r of the log: r itself if it is shared or marks a forgotten event, else
// an empty record. Any other record without an id is not shared: no owner stored and redacted it, and its subject may be wrong.
func (s Share) Derive(r record.Record) record.Record {
	if r.IsForgotten() || r.ID != "" && s.sharesSubject(r.Subject) {
		return r
	}
	return record.Record{Seq: r.Seq, Subject: record.Withheld}
}

// sharesSubject reports whether the events of the project of a subject are shared.
func (s Share) sharesSubject(subject string) bool {
	project, ok := record.ProjectToken(subject)
	return ok && (s.All || slices.ContainsFunc(s.Projects, func(key string) bool { return wire.Token(key) == project }))
}

// LoadFile reads a file of the team's directory. It returns v if there is none.
func LoadFile[T any](journal, name string, v T) (T, error) {
	b, err := disk.ReadFile(filepath.Join(Dir(journal), name), fileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		return v, fmt.Errorf("team: %s: %w", name, err)
	}
	return v, nil
}

// saveFile calls replace to save v in a file of the team's directory, unless the file has that content already.
func saveFile(journal, name string, v any, replace func(path string, b []byte) error) error {
	b, _ := json.MarshalIndent(v, "", "  ") // strings, numbers and times cannot fail
	b = append(b, '\n')
	path := filepath.Join(Dir(journal), name)
	err := disk.MakePrivate(Dir(journal))
	saved, unread := disk.ReadFile(path, fileBytes)
	if err == nil && (unread != nil || !bytes.Equal(saved, b)) {
		err = replace(path, b)
	}
	if err != nil {
		return fmt.Errorf("team: %s: %w", name, err)
	}
	return nil
}

// changeFile saves what change makes of a file of the team's directory, of v if there is none. It holds a lock, so that
// processes do not undo each other's changes. A running owner sees the change within a second.
func changeFile[T any](journal, name string, v T, change func(T) (T, error)) error {
	return locked(journal, func() error {
		now, err := LoadFile(journal, name, v)
		if err == nil {
			now, err = change(now)
		}
		if err != nil {
			return err
		}
		return saveFile(journal, name, now, disk.ReplaceShared)
	})
}

// Joined reports whether a journal has a membership, without reading it.
func Joined(journal string) bool {
	_, err := os.Lstat(filepath.Join(Dir(journal), memberName))
	return !errors.Is(err, fs.ErrNotExist)
}

// locked calls do while no other process changes files of the team's directory.
func locked(journal string, do func() error) error {
	if err := disk.MakePrivate(Dir(journal)); err != nil {
		return err
	}
	return disk.Locked(filepath.Join(Dir(journal), "lock"), do)
}
