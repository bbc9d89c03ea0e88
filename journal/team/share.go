package team

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
	"journal/journal/record"
	"journal/journal/wire"
)

const (
	shareName  = "share.json"
	copyName   = "copy.json"
	statusName = "status.json"
	namesName  = "names.json"
	rootsName  = "roots.json"
	grantsName = "grants.json"
)

// fileBytes bounds the files that are read here.
const fileBytes = 1 << 20

// Share is what of a log its member gives to the team. The zero value is nothing.
type Share struct {
	All      bool     `json:"all,omitempty"` // every project, also those to come
	Projects []string `json:"projects"`      // keys, sorted
	// Handover are the projects of which the team hears what is unfinished here, and this device what
	// is unfinished elsewhere (J.9). It counts only for what is shared.
	Handover []string `json:"handover,omitempty"`
	// Decisions are the projects whose decisions go into texts of others, and theirs into those here.
	Decisions []string `json:"decisions,omitempty"`
}

// LoadShare returns what a journal shares.
func LoadShare(journal string) (Share, error) {
	return LoadFile(journal, shareName, Share{})
}

// ChangeShare is ChangeFile for what a journal shares.
func ChangeShare(journal string, change func(Share) (Share, error)) error {
	s, err := ChangeFile(journal, shareName, Share{}, func(s Share) (Share, error) {
		s, err := change(s)
		for _, keys := range []*[]string{&s.Projects, &s.Handover, &s.Decisions} {
			slices.Sort(*keys)
			*keys = slices.Compact(*keys)
		}
		return s, err
	})
	if err != nil {
		return err
	}
	return errors.Join(offers.drop(journal, func(o Offer) bool { return !Handover.Has(s, o.Project) }),
		decisions.drop(journal, func(d Decision) bool { return !Decisions.Has(s, d.Project) }))
}

// With adds a project.
func (s Share) With(project string) Share {
	s.Projects = append(slices.Clone(s.Projects), project)
	return s
}

// Without takes a project out.
func (s Share) Without(project string) Share {
	s.Projects = slices.DeleteFunc(slices.Clone(s.Projects), func(p string) bool { return p == project })
	return Decisions.End(Handover.End(s, project), project)
}

// None says whether nothing is shared.
func (s Share) None() bool { return !s.All && len(s.Projects) == 0 }

// Covers says whether it gives everything that another does.
func (s Share) Covers(o Share) bool {
	if s.All {
		return true
	}
	return !o.All && !slices.ContainsFunc(o.Projects, func(p string) bool { return !slices.Contains(s.Projects, p) })
}

// SameProjects reports whether two share the same projects, whatever else they say.
func (s Share) SameProjects(o Share) bool { return s.Covers(o) && o.Covers(s) }

// ErrRestricted is returned for a journal with projects that builds before the first release sealed for some members.
var ErrRestricted = errors.New("restricted projects are not supported any more")

// CheckRestricted returns ErrRestricted for a journal with restricted projects: to share them with the whole team is a
// person's decision.
func CheckRestricted(journal string) error {
	restricted, err := LoadFile(journal, grantsName, struct{ Projects map[string]any }{})
	if err == nil && len(restricted.Projects) > 0 {
		err = fmt.Errorf("%w, and what is shared is shared with the whole team: nothing is uploaded until you unshare them and remove %s: %s",
			ErrRestricted, filepath.Join(Dir(journal), grantsName), strings.Join(slices.Sorted(maps.Keys(restricted.Projects)), ", "))
	}
	return err
}

// LoadNames returns what a person called projects that are in no repository, by key.
func LoadNames(journal string) (map[string]string, error) {
	return LoadFile(journal, namesName, map[string]string{})
}

// LoadRoots returns where projects are that were chosen by their directories, by key.
func LoadRoots(journal string) (map[string]string, error) {
	return LoadFile(journal, rootsName, map[string]string{})
}

// SaveRoot notes where a project is, of which the log may hold nothing yet.
func SaveRoot(journal, project, root string) error {
	return saveWord(journal, rootsName, project, root)
}

// SaveName notes what a person calls a project, empty for nothing.
func SaveName(journal, project, name string) error {
	return saveWord(journal, namesName, project, name)
}

// saveWord is ChangeFile for a word of a project, empty for none.
func saveWord(journal, file, project, word string) error {
	_, err := ChangeFile(journal, file, map[string]string{}, func(all map[string]string) (map[string]string, error) {
		if all[project] = word; word == "" {
			delete(all, project)
		}
		return all, nil
	})
	return err
}

// Filter decides which records of a log the hub may have.
type Filter struct {
	all      bool
	projects map[string]bool // as tokens of subjects
}

// Filter returns the filter for it.
func (s Share) Filter() Filter {
	f := Filter{all: s.All, projects: map[string]bool{}}
	for _, p := range s.Projects {
		f.projects[wire.Token(p)] = true
	}
	return f
}

// Derive returns what the copy holds at the sequence of a record: the record, the mark of one that
// was forgotten, or a record that says nothing. What no owner stored says nothing either: nobody
// redacted it, and its subject may lie about its project.
func (f Filter) Derive(r record.Record) record.Record {
	if r.IsForgotten() || r.ID != "" && f.takes(r.Subject) {
		return r
	}
	return record.Record{Seq: r.Seq, Subject: record.Withheld}
}

// takes says whether the project of a subject was chosen.
func (f Filter) takes(subject string) bool {
	project, ok := record.ProjectToken(subject)
	return ok && (f.all || f.projects[project])
}

// LoadFile reads a file of the team's directory; one that is not there is v.
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

// SaveFile replaces one, durably.
func SaveFile(journal, name string, v any) error {
	return saveFile(journal, name, v, disk.ReplaceShared)
}

// saveFile replaces one, unless it says that already.
func saveFile(journal, name string, v any, replace func(path string, b []byte) error) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = disk.MakePrivate(Dir(journal))
	}
	b, path := append(b, '\n'), filepath.Join(Dir(journal), name)
	if err == nil {
		if was, unread := disk.ReadFile(path, fileBytes); unread != nil || !bytes.Equal(was, b) {
			err = replace(path, b)
		}
	}
	if err != nil {
		return fmt.Errorf("team: %s: %w", name, err)
	}
	return nil
}

// ChangeFile changes one as it is now, unless there is an error: people do and the owner does, and neither undoes what the
// other did meanwhile. One that is not there is v. An owner that runs sees it within a second.
func ChangeFile[T any](journal, name string, v T, change func(T) (T, error)) (now T, err error) {
	err = locked(journal, func() error {
		was, err := LoadFile(journal, name, v)
		if err == nil {
			now, err = change(was)
		}
		if err != nil {
			return err
		}
		return SaveFile(journal, name, now)
	})
	return now, err
}

// Keep does something that keeps what others told, unless the journal has left its team meanwhile.
func Keep(journal string, do func() error) error {
	return locked(journal, func() error {
		if _, err := os.Lstat(filepath.Join(Dir(journal), memberName)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return do()
	})
}

// locked does something while nobody else changes what they read before in the team's directory.
func locked(journal string, do func() error) error {
	if err := disk.MakePrivate(Dir(journal)); err != nil {
		return err
	}
	return disk.Locked(filepath.Join(Dir(journal), "lock"), do)
}

// offers keeps what others have left unfinished, as far as it was asked for.
var offers = cachedList[Offer]{name: "offers.json", most: 200}

// Offer is what a session on another machine has left unfinished in a repository that is a project
// of this log too. It never holds what anybody asked or said.
type Offer struct {
	Project string `json:"project"` // key in this log
	Member  string `json:"member"`
	Device  string `json:"device"`
	Session string `json:"session"`
	Skill   string `json:"skill,omitempty"`
	Phase   string `json:"phase,omitempty"`
	// PhaseName is what that phase is called.
	PhaseName string        `json:"phase_name,omitempty"`
	Ports     []OfferedPort `json:"ports,omitempty"`
	Plan      string        `json:"plan,omitempty"` // its title
	AsOf      uint64        `json:"as_of"`          // newest sequence there that tells of skill or ports
	Last      int64         `json:"last"`           // when something happened last in the session, ns since 1970
	Ended     bool          `json:"ended"`
}

// OfferedPort is a running unit of work.
type OfferedPort struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Progress string `json:"progress"`
}

// LoadOffers returns what was left unfinished elsewhere in a project, as long as this device has chosen
// that it be handed over. It reads one small file.
func LoadOffers(journal, project string) ([]Offer, error) {
	share, err := LoadShare(journal)
	if err != nil || !Handover.Has(share, project) {
		return nil, err
	}
	all, err := offers.load(journal)
	return slices.DeleteFunc(all, func(o Offer) bool { return o.Project != project }), err
}

// SaveOffers replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveOffers(journal string, all []Offer) error { return offers.save(journal, all) }
