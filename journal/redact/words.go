package redact

import (
	"bytes"
	_ "embed" // of the words
	"slices"
	"strings"
	"sync"
)

// This file reads lists of words, and compares words whatever their case.

//go:embed words.txt
var wordTable string

// wordList is a list of words.txt, read both as words that blanks separate and as parts that ¦ separates.
type wordList struct {
	set   map[string]bool // the words
	parts []string
}

// vocabulary is the content of words.txt.
type vocabulary struct {
	lists map[string]wordList // by their names
	// senses holds the senses of words in lower case. Words of other languages are also there without the accents of their letters, as
	// code spells them.
	senses  map[string]sense
	written []foreignPart
}

// vocab returns the vocabulary. It reads words.txt at the first call, which keeps the start of the process fast.
var vocab = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{lists: make(map[string]wordList), senses: make(map[string]sense)}
	for line := range strings.Lines(wordTable) {
		line = strings.TrimSuffix(line, "\n")
		head, list, tabbed := strings.Cut(line, "\t")
		name, kind, _ := strings.Cut(head, " ")
		switch {
		case tabbed && name == "name":
			for w := range strings.FieldsSeq(list) {
				v.senses[w] = senseNamed(kind)
			}
		case tabbed: // written
			for part := range strings.SplitSeq(list, "¦") {
				v.written = append(v.written, foreignPart{part, senseNamed(kind)})
			}
		case line != "" && line[0] != '#':
			name, list, _ := strings.Cut(line, ": ")
			l := wordList{set: make(map[string]bool), parts: strings.Split(strings.TrimSuffix(list, "¦"), "¦")}
			for w := range strings.FieldsSeq(list) {
				l.set[w] = true
			}
			v.lists[name] = l
		}
	}
	return v
})

// longestListed is the length of the longest word in a list, in bytes: irreversible-cipher.
const longestListed = 19

// inList reports whether a word is in a list of words.txt, whatever the case of its letters.
func inList(list, word string) bool {
	var buf [longestListed]byte
	return len(word) <= longestListed && vocab().lists[list].set[string(fold(buf[:0], word))]
}

// parts returns the parts of words in a list of words.txt, in lower case.
func parts(list string) []string { return vocab().lists[list].parts }

// fold appends s to dst with its ASCII letters in lower case. Unlike strings.ToLower it allocates nothing if dst has room.
func fold(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if upper.has(c) {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// foldContains reports whether s, whatever its case, contains one of the parts, which are in lower case. It examines only the
// first usualWindow bytes of s.
func foldContains(s string, parts []string) bool {
	var buf [usualWindow]byte
	folded := fold(buf[:0], clip(s, usualWindow))
	return slices.ContainsFunc(parts, func(p string) bool { return bytes.Contains(folded, []byte(p)) })
}

// contains reports whether s contains one of the parts.
func contains(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// namesSecret reports whether v contains a word that names secrets, such as password or token.
func namesSecret(v string) bool { return foldContains(v, parts("namingParts")) }

// wordCount returns the number of words in v.
func wordCount(v string) (n int) {
	for range strings.FieldsSeq(v) {
		n++
	}
	return n
}
