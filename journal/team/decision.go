package team

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"journal/journal/git"
)

// decisions keeps what others have decided, as far as it was asked for. With the longest texts the file
// stays below what is read of one.
var decisions = heard[Decision]{name: "decisions.json", most: 200}

// Decision is what somebody else decided in a repository that is a project of this log too, and what
// still held when the hub was asked last.
type Decision struct {
	Project  string `json:"project"` // key in this log
	Member   string `json:"member"`
	Device   string `json:"device"`
	Copy     int    `json:"copy"` // number of the copy that it was read in
	Session  string `json:"session"`
	Seq      uint64 `json:"seq"` // in the log of that device
	At       int64  `json:"at"`  // ns since 1970
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // that the person answered with it
}

// Day is when it was made, in UTC.
func (d Decision) Day() string { return time.Unix(0, d.At).UTC().Format(time.DateOnly) }

// LoadDecisions gives what others have decided in a project, newest first, as long as this device has
// chosen to hear of it. It reads one file and asks nobody.
func LoadDecisions(journal, project string) ([]Decision, error) {
	share, err := LoadShare(journal)
	if err != nil || !Decisions.Has(share, project) {
		return nil, err
	}
	all, err := KnownDecisions(journal)
	return slices.DeleteFunc(all, func(d Decision) bool { return d.Project != project }), err
}

// KnownDecisions gives those of all projects.
func KnownDecisions(journal string) ([]Decision, error) { return decisions.load(journal) }

// SaveDecisions replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveDecisions(journal string, all []Decision) error { return decisions.save(journal, all) }

// Choice is something that the sessions of a project tell those of others in the same repository, and
// hear of them, where both have chosen it. It counts only for what is shared.
type Choice int

// The choices.
const (
	Handover  Choice = iota // what is unfinished
	Decisions               // what is decided
)

// of gives the projects of a choice.
func (c Choice) of(s *Share) *[]string {
	if c == Decisions {
		return &s.Decisions
	}
	return &s.Handover
}

// Has says whether it was chosen for a project that is shared.
func (c Choice) Has(s Share, project string) bool {
	return slices.Contains(*c.of(&s), project) && s.Covers(Share{Projects: []string{project}})
}

// Begin chooses it for a project.
func (c Choice) Begin(s Share, project string) Share {
	*c.of(&s) = append(slices.Clone(*c.of(&s)), project)
	return s
}

// End ends it for a project.
func (c Choice) End(s Share, project string) Share {
	*c.of(&s) = slices.DeleteFunc(slices.Clone(*c.of(&s)), func(p string) bool { return p == project })
	return s
}

// wordsName keeps what a person said of repositories that are alike.
const wordsName = "words.json"

// questions keeps what somebody has to be asked about.
var questions = heard[Alike]{name: "alike.json", most: 50}

// Word is what a person said, once, of a project of this log and a repository of others that is like
// its own: that they are one project, or two.
type Word struct {
	Project string       `json:"project"` // key in this log
	Of      git.Checkout `json:"of"`
	Same    bool         `json:"same"`
}

// Words are what was said.
type Words []Word

// LoadWords gives what was said.
func LoadWords(journal string) (Words, error) {
	var all Words
	err := load(journal, wordsName, &all)
	return all, err
}

// Save makes it what was said; an owner that runs sees it within a second.
func (w Words) Save(journal string) error { return save(journal, wordsName, w) }

// With adds a word, in the place of one about the same two.
func (w Words) With(word Word) Words {
	w = slices.DeleteFunc(slices.Clone(w), func(o Word) bool { return o.Project == word.Project && o.Of.Equal(word.Of) })
	return append(w, word)
}

// Of gives what was said of a project and a repository, false when nothing was.
func (w Words) Of(project string, c git.Checkout) (Word, bool) {
	i := slices.IndexFunc(w, func(o Word) bool { return o.Project == project && o.Of.Equal(c) })
	if i < 0 {
		return Word{}, false
	}
	return w[i], true
}

// Same gives the repositories that are one project with one of this log.
func (w Words) Same(project string) (all []git.Checkout) {
	for _, word := range w {
		if word.Project == project && word.Same {
			all = append(all, word.Of)
		}
	}
	return all
}

// Alike is a repository of others that may be the one of a project of this log, and may be a fork of it: a
// person says, once.
type Alike struct {
	Project string       `json:"project"` // key in this log
	Member  string       `json:"member"`  // one who shares it
	Of      git.Checkout `json:"of"`
}

// LoadAlike gives what nobody has said anything of yet, as of the last look at the hub.
func LoadAlike(journal string) ([]Alike, error) {
	words, err := LoadWords(journal)
	if err != nil {
		return nil, err
	}
	all, err := questions.load(journal)
	return slices.DeleteFunc(all, func(a Alike) bool { _, said := words.Of(a.Project, a.Of); return said }), err
}

// SaveAlike replaces what is known; it need not be durable. What is beyond the bound is left out.
func SaveAlike(journal string, all []Alike) error { return questions.save(journal, all) }

// linePrefix begins an invitation that is spelled in one line. Behind it stands its JSON,
// deflated (RFC 1951), in base64url.
const linePrefix = "team:"

// Line spells an invitation in one line, which a colleague can be sent and can paste. It holds
// keys and is worth as much as they are.
func (m Member) Line() (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = w.Write(b); err == nil {
		err = w.Close()
	}
	return linePrefix + base64.RawURLEncoding.EncodeToString(small.Bytes()), err
}

// decodeLine reads what stands behind the prefix of a line.
func decodeLine(s string) (Member, error) {
	small, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(s))
	var b []byte
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), invitationBytes))
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: the line is not whole: %w", ErrInvitation, err)
	}
	return DecodeMember(b)
}
