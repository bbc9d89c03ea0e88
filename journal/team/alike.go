package team

import (
	"slices"

	"journal/journal/git"
)

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
	return LoadFile[Words](journal, wordsName, nil)
}

// Say adds words to what was said, and gives all of it.
func Say(journal string, all []Word) (Words, error) {
	return ChangeFile(journal, wordsName, nil, func(w Words) (Words, error) {
		for _, word := range all {
			w = w.With(word)
		}
		return w, nil
	})
}

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
