package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words is a text cut into words.
type words struct {
	lower    string  // the text in compatible characters (NFKC) and lower case, with / for \
	origin   []int32 // byte of lower → byte of the text; nil where they are the same
	all      []word
	grams    []int32  // of the words, in their order
	distinct []int32  // the grams, each once
	cut      []*words // the text's sentences; nil before they are asked for
}

// word is a run of letters and digits of one script.
type word struct {
	from, to    int32 // bytes in the text
	sentence    int32
	first, next int32 // its grams
	number      bool  // it has a digit
}

// of returns the grams of the i-th word.
func (t *words) of(i int) []int32 { return t.grams[t.all[i].first:t.all[i].next] }

// offset returns where a byte of lower stands in the text.
func (t *words) offset(i int) int32 {
	if t.origin == nil {
		return int32(i)
	}
	return t.origin[i]
}

// leastWords is the fewest words of a sentence that is compared by itself.
const leastWords = 3

// sentences returns the text's sentences.
func (t *words) sentences() []*words {
	if t.cut != nil {
		return t.cut
	}
	for from := 0; from < len(t.all); {
		to := from + 1
		for to < len(t.all) && t.all[to].sentence == t.all[from].sentence {
			to++
		}
		if to-from >= leastWords {
			t.cut = append(t.cut, &words{all: t.all[from:to], grams: t.grams, distinct: distinct(t.grams[t.all[from].first:t.all[to-1].next])})
		}
		from = to
	}
	return t.cut
}

func distinct(grams []int32) []int32 {
	grams = slices.Clone(grams)
	slices.Sort(grams)
	return slices.Compact(grams)
}

// fold sets lower and origin.
func (t *words) fold(s string) {
	if isASCII(s) {
		t.lower = strings.ToLower(strings.ReplaceAll(s, `\`, "/"))
		return
	}
	var b strings.Builder
	for from := 0; from < len(s); {
		to := from + norm.NFKC.NextBoundaryInString(s[from:], true)
		for _, r := range norm.NFKC.String(s[from:to]) {
			if r == '\\' {
				r = '/'
			}
			n := b.Len()
			b.WriteRune(unicode.ToLower(r))
			for range b.Len() - n {
				t.origin = append(t.origin, int32(from))
			}
		}
		from = to
	}
	t.lower, t.origin = b.String(), append(t.origin, int32(len(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// script tells apart words that no space separates.
type script int

const (
	noScript script = iota
	alphabet        // and digits
	hangul
	han
	hiragana
	katakana
)

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return alphabet
		}
		return noScript
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return katakana
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return alphabet
	}
	return noScript
}

// Vocabulary numbers grams, and caches the words of texts that are matched in several others. The zero value is empty. It
// is not safe for concurrent use.
type Vocabulary struct {
	grams map[uint64]int32
	texts map[string]*words
}

func (v *Vocabulary) size() int { return len(v.grams) }

// words returns the words of a text, from the cache if they are there.
func (v *Vocabulary) words(s string) *words {
	t := v.texts[s]
	if t != nil {
		return t
	}
	if v.texts == nil {
		v.texts = map[string]*words{}
	}
	t = v.cut(s)
	v.texts[s] = t
	return t
}

// Share returns how much of a text's grams another text has, in percent.
func (v *Vocabulary) Share(s, other string) int {
	all, have := v.words(s).distinct, v.words(other).distinct
	common := 0
	for _, g := range all {
		if _, has := slices.BinarySearch(have, g); has {
			common++
		}
	}
	return percent(float64(common), float64(max(len(all), 1)))
}

// Count returns the number of words of a text.
func (v *Vocabulary) Count(s string) int { return len(v.words(s).all) }

// cut cuts a text into words.
func (v *Vocabulary) cut(s string) *words {
	t := &words{}
	t.fold(s)
	c := cutter{v: v, words: t}
	for i, r := range t.lower {
		is := scriptOf(r)
		if is != c.script {
			c.end(i)
			c.word.from, c.script = t.offset(i), is
		}
		if is == noScript {
			after := strings.TrimLeft(t.lower[i:], ".")
			if strings.ContainsRune("\n。!?;", r) || r == '.' && (after == "" || after[0] == ' ' || after[0] == '\n') {
				c.word.sentence++
			}
			continue
		}
		c.letters = append(c.letters, r)
		c.word.number = c.word.number || unicode.IsDigit(r)
	}
	c.end(len(t.lower))
	t.distinct = distinct(t.grams)
	return t
}

// cutter is the state while a text is cut.
type cutter struct {
	v       *Vocabulary
	words   *words
	word    word // the one that is read
	script  script
	letters []rune
}

// end ends the word that is read before a byte of lower.
func (c *cutter) end(at int) {
	if len(c.letters) > 0 {
		w := c.word
		w.to, w.first = c.words.offset(at), int32(len(c.words.grams))
		c.grams()
		w.next = int32(len(c.words.grams))
		c.words.all = append(c.words.all, w)
	}
	c.letters, c.word.number = c.letters[:0], false
}

// grams adds the grams of the word: fours of an alphabet with the borders of the word, else pairs. One hiragana is a
// particle, and has none.
func (c *cutter) grams() {
	letters, size := c.letters, 2
	if c.script == alphabet {
		letters, size = append(append([]rune{' '}, letters...), ' '), 4
	} else if len(letters) == 1 && c.script == hiragana {
		return
	}
	for i := 0; i == 0 || i+size <= len(letters); i++ {
		key := uint64(0)
		for _, r := range letters[i:min(i+size, len(letters))] {
			key = key*0x9E3779B97F4A7C15 + uint64(r) + 1
		}
		c.words.grams = append(c.words.grams, c.v.gram(key))
	}
}

// gram returns the number of a gram.
func (v *Vocabulary) gram(key uint64) int32 {
	n, known := v.grams[key]
	if known {
		return n
	}
	if v.grams == nil {
		v.grams = map[uint64]int32{}
	}
	n = int32(len(v.grams))
	v.grams[key] = n
	return n
}
