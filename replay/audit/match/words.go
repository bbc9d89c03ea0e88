package match

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words is a text cut into words.
type words struct {
	lower    string  // the folded text
	origin   []int32 // byte of lower → byte of the text
	all      []word
	distinct []int32 // grams of the words, each once, sorted
}

// word is a run of letters and digits of one script.
type word struct {
	from, to int32 // bytes in the text
	sentence int
	grams    []int32
	number   bool // it has a digit
}

// minWords is the fewest words of a sentence that is compared by itself.
const minWords = 3

// sentences returns the text's sentences of at least minWords.
func (t *words) sentences() (parts []*words) {
	for from, to := 0, 0; from < len(t.all); from = to {
		for to < len(t.all) && t.all[to].sentence == t.all[from].sentence {
			to++
		}
		if to-from >= minWords {
			parts = append(parts, (&words{all: t.all[from:to]}).gathered())
		}
	}
	return parts
}

// gathered sets distinct, and returns t.
func (t *words) gathered() *words {
	for _, w := range t.all {
		t.distinct = append(t.distinct, w.grams...)
	}
	slices.Sort(t.distinct)
	t.distinct = slices.Compact(t.distinct)
	return t
}

// folded returns a text in NFKC and lower case, with / for \. origin has the byte of s for each byte of the result, and len(s) at
// its end.
func folded(s string) (lower string, origin []int32) {
	var b strings.Builder
	var it norm.Iter
	for it.InitString(norm.NFKC, s); !it.Done(); {
		from := int32(it.Pos())
		for _, r := range string(it.Next()) {
			if r == '\\' {
				r = '/'
			}
			b.WriteRune(unicode.ToLower(r))
		}
		for len(origin) < b.Len() {
			origin = append(origin, from)
		}
	}
	return b.String(), append(origin, int32(len(s)))
}

// scripts are the scripts whose words end where another script begins, as at a space.
var scripts = [...]*unicode.RangeTable{unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana}

// Results of scriptOf.
const (
	hiragana = 2  // index in scripts
	alphabet = -1 // every other script, and digits
	noWord   = -2 // no letter or digit
)

// scriptOf returns the script of a character: an index in scripts, alphabet or noWord.
func scriptOf(r rune) int {
	if r >= 0x1100 { // the first letter of Hangul
		for i, table := range scripts {
			if unicode.Is(table, r) || r == 'ー' && table == unicode.Katakana {
				return i
			}
		}
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return alphabet
	}
	return noWord
}

// Vocabulary numbers grams, and caches the words of texts, which several matchers share. The zero value is empty. It is not safe
// for concurrent use.
type Vocabulary struct {
	grams map[uint64]int32
	texts map[string]*words
}

// words returns the words of a text, from the cache if they are there.
func (v *Vocabulary) words(s string) *words {
	t := v.texts[s]
	if t != nil {
		return t
	}
	if v.texts == nil {
		v.texts, v.grams = map[string]*words{}, map[uint64]int32{}
	}
	t = v.cut(s)
	v.texts[s] = t
	return t
}

// Share returns the share of a text's grams that another text has, in percent.
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
	t.lower, t.origin = folded(s)
	var w word
	var letters []rune
	script := noWord
	end := func(at int) {
		if len(letters) > 0 {
			w.to, w.grams = t.origin[at], v.gramsOf(letters, script)
			t.all = append(t.all, w)
		}
		letters, w.number = letters[:0], false
	}
	for i, r := range t.lower {
		if next := scriptOf(r); next != script {
			end(i)
			w.from, script = t.origin[i], next
		}
		if script != noWord {
			letters = append(letters, r)
			w.number = w.number || unicode.IsDigit(r)
			continue
		}
		after := strings.TrimLeft(t.lower[i:], ".")
		if strings.ContainsRune("\n。!?;", r) || r == '.' && (after == "" || after[0] == ' ' || after[0] == '\n') {
			w.sentence++
		}
	}
	end(len(t.lower))
	return t.gathered()
}

// gramsOf returns the grams of a word: in an alphabet, each four characters of the word between two blanks; else each two characters.
// A shorter word is one gram. A single hiragana, which is a particle, has none.
func (v *Vocabulary) gramsOf(letters []rune, script int) (grams []int32) {
	size := 2
	if script == alphabet {
		letters, size = slices.Concat([]rune{' '}, letters, []rune{' '}), 4
	} else if len(letters) == 1 && script == hiragana {
		return nil
	}
	for i := 0; i == 0 || i+size <= len(letters); i++ {
		key := uint64(0)
		for _, r := range letters[i:min(i+size, len(letters))] {
			key = key*0x9E3779B97F4A7C15 + uint64(r) + 1 // a hash of the characters: different grams hardly ever have the same
		}
		n, known := v.grams[key]
		if !known {
			n = int32(len(v.grams))
			v.grams[key] = n
		}
		grams = append(grams, n)
	}
	return grams
}
