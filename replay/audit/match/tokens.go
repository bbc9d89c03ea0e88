package match

import (
	"slices"
	"strings"
	"unicode"
)

// script is how a token is compared.
type script int

const (
	latin    script = iota // a word of any alphabet: by lemma
	exact                  // a number, name or path: equal
	hangul                 // a word with particles: by its beginning
	han                    // a run of kanji: one contains the other
	katakana               // equal
	hiragana               // endings and particles: no weight
)

// token is one word of a text.
type token struct {
	form     string // lower case, compatible characters
	key      string // index key: equal for tokens that can match
	script   script
	from, to int // bytes in the text
	sentence int
	clause   int
	aside    bool   // in parentheses or after a dash
	act      action // of a known verb
	role     string // in its clause: "to", "from", "object"
}

// tokens cuts a text into words. Markdown, quotes and punctuation only separate words.
func tokens(s string) []token {
	t := tokeniser{glyphs: glyphs(s)}
	for t.i < len(t.glyphs) {
		t.next()
	}
	relate(t.all)
	return t.all
}

type tokeniser struct {
	glyphs           []glyph
	i                int
	sentence, clause int
	depth            int  // of parentheses
	dashed           bool // behind a dash
	all              []token
}

func (t *tokeniser) at(i int) rune {
	if i < 0 || i >= len(t.glyphs) {
		return 0
	}
	return t.glyphs[i].r
}

func (t *tokeniser) next() {
	r := t.at(t.i)
	switch {
	case isWord(r):
		t.word()
	case isHangul(r):
		t.run(hangul, isHangul)
	case isHan(r):
		t.kanji()
	case isKatakana(r):
		t.run(katakana, isKatakana)
	case isHiragana(r):
		t.run(hiragana, isHiragana)
	default:
		t.border(r)
		t.i++
	}
}

// border ends a sentence or a clause at a character that ends one.
func (t *tokeniser) border(r rune) {
	before, after := t.at(t.i-1), t.at(t.i+1)
	switch {
	case r == '\n' || strings.ContainsRune("。!?;", r), r == '.' && (after == 0 || unicode.IsSpace(after)):
		t.sentence++
		t.clause++
		t.depth, t.dashed = 0, false
	case r == '-' && unicode.IsSpace(before) && unicode.IsSpace(after):
		t.clause++
		t.dashed = len(t.all) > 0 && t.all[len(t.all)-1].sentence == t.sentence
	case r == '(':
		t.clause++
		t.depth++
	case r == ')':
		t.clause++
		t.depth = max(t.depth-1, 0)
	case r == ':' && after != 0 && !unicode.IsSpace(after):
	case strings.ContainsRune(",、:", r):
		t.clause++
	}
}

// kanji reads a run of kanji, in pairs that overlap if it is too long for one word.
func (t *tokeniser) kanji() {
	start, end := t.i, t.i
	for isHan(t.at(end)) {
		end++
	}
	if end-start <= longWord {
		t.run(han, isHan)
		return
	}
	for ; start < end-1; start++ {
		t.i = start + 2
		t.add(start, han)
	}
}

// longWord is the most kanji of a word.
const longWord = 4

func (t *tokeniser) run(s script, in func(rune) bool) {
	start := t.i
	for in(t.at(t.i)) {
		t.i++
	}
	t.add(start, s)
}

// word reads letters and digits, and the marks that join them into a name. A number includes the first character of a
// Korean or Japanese unit: five days are not five hours.
func (t *tokeniser) word() {
	start, named, upper := t.i, false, 0
	for {
		r := t.at(t.i)
		if isWord(r) {
			named = named || unicode.IsDigit(r) || r == '_'
			if unicode.IsUpper(r) && t.i > start && t.at(t.i-1) != '-' { // Auto-Apply is no name
				upper++
			}
			t.i++
			continue
		}
		joins := strings.ContainsRune("./-@+'=", r) || r == ':' && unicode.IsDigit(t.at(t.i-1)) && unicode.IsDigit(t.at(t.i+1))
		if r == 0 || !joins || !isWord(t.at(t.i+1)) {
			break
		}
		named = named || r != '-' && r != '\''
		t.i++
	}
	if unicode.IsDigit(t.at(t.i-1)) && (isHangul(t.at(t.i)) || isHan(t.at(t.i))) {
		t.i++
	}
	if named || upper > 0 {
		t.add(start, exact)
		return
	}
	for i := start; i < t.i; i++ { // first-parent is two words
		if t.at(i) == '-' {
			end := t.i
			t.i = i
			t.add(start, latin)
			start, t.i = i+1, end
		}
	}
	t.add(start, latin)
}

func (t *tokeniser) add(start int, s script) {
	var b strings.Builder
	for _, g := range t.glyphs[start:t.i] {
		b.WriteRune(unicode.ToLower(g.r))
	}
	k := token{
		form: b.String(), script: s, from: t.glyphs[start].from, to: t.glyphs[t.i-1].to,
		aside: t.depth > 0 || t.dashed,
	}
	k.sentence, k.clause = t.sentence, t.clause
	k.key = k.form
	switch s {
	case latin:
		k.key = lemma(k.form)
	case hangul:
		k.key = string(open([]rune(k.form)[0]))
	case han:
		k.key = string([]rune(k.form)[:1])
	}
	k.act = actionOf(k)
	t.all = append(t.all, k)
	if s == hangul && connects(k) {
		t.clause++
	}
}

// connects reports whether a Korean verb connects its clause to a next one.
func connects(t token) bool {
	for _, end := range []string{"하고", "되고", "이고", "지만", "는데", "으며", "하며"} {
		if strings.HasSuffix(t.form, end) && t.form != end {
			return true
		}
	}
	return t.act != "" && (strings.HasSuffix(t.form, "고") || strings.HasSuffix(t.form, "며"))
}

// same reports whether two tokens match.
func same(a, b token) bool {
	switch {
	case a.script == hangul && b.script == hangul:
		return sameHangul([]rune(a.form), []rune(b.form))
	case a.script == han && b.script == han:
		return a.form == b.form || strings.Contains(b.form, a.form)
	case a.script == exact || b.script == exact:
		return a.form == b.form || isEndOf(b.form, a.form) || isEndOf(a.form, b.form)
	default:
		return a.key == b.key && a.script == b.script
	}
}

// isEndOf reports whether a file's name is the end of a path.
func isEndOf(name, path string) bool {
	return strings.Contains(name, ".") && strings.HasSuffix(path, "/"+name)
}

// endings are the syllables of Korean particles and verb endings.
var endings = []rune("을를이가은는의에도만로으와과랑나서게께까지부터마다하고한다했해줘함할합니기던며면려라요세습됨되된될돼어아여었았였음임주달네것들")

func isEnding(rest []rune) bool {
	return !slices.ContainsFunc(rest, func(r rune) bool { return !slices.Contains(endings, r) })
}

// sameHangul reports whether two words differ only by particles and endings. The last syllable of the common beginning may
// have another final consonant, or be contracted with the ending.
func sameHangul(a, b []rune) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) && n < len(b) && (open(a[n]) == open(b[n]) || n > 0 && contracted(a[n], b[n])) {
		n++
	}
	return n > 0 && isEnding(a[n:]) && isEnding(b[n:])
}
