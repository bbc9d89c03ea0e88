package search

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// eachWord calls do with the script and the byte range of every word of a text: a run of letters and digits of one script, with their
// combining marks.
func eachWord(s string, do func(script writing, from, to int)) {
	for from := 0; from < len(s); {
		r, n := utf8.DecodeRuneInString(s[from:])
		script := scriptOf(r)
		to := from + n
		for script != noScript && to < len(s) {
			r, n := utf8.DecodeRuneInString(s[to:])
			if scriptOf(r) != script && !unicode.IsMark(r) {
				break
			}
			to += n
		}
		if script != noScript {
			do(script, from, to)
		}
		from = to
	}
}

// termsOf returns the terms of a word, by which texts are compared. The term of an English word is its stem, that of another word of an
// alphabet the word itself. The terms of a Korean word are the pairs of its syllables, without its particle. The terms of a Japanese
// or Chinese word are the pairs of its characters; a single character is a term. A name in camel case has a term as a whole and one
// for each part. Stop words, single bytes and very long words have none.
func termsOf(script writing, word string) (terms []string) {
	if script != alphabet {
		return pairs(script, []rune(folded(word)))
	}
	add := func(w string) {
		if w = folded(w); len(w) > 1 && len(w) <= maxWordBytes && !stopWords()[w] {
			terms = append(terms, stem(w))
		}
	}
	add(word)
	start := 0
	for i := 1; i < len(word); i++ {
		if word[i] >= 'A' && word[i] <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			add(word[start:i])
			start = i
		}
	}
	if start > 0 {
		add(word[start:])
	}
	return terms
}

// maxWordBytes bounds a word of an alphabet: longer ones are digests and encoded data.
const maxWordBytes = 40

// writing is a group of scripts whose words have terms of the same form.
type writing int

const (
	noScript writing = iota
	alphabet         // and digits
	hangul
	han
	katakana
	hiragana
)

// scriptOf returns the writing to which a letter or digit belongs, noScript for other characters.
func scriptOf(r rune) writing {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return alphabet
		}
		return noScript
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return katakana
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return alphabet
	}
	return noScript
}

// pairs returns the terms of a word of any writing but alphabet.
func pairs(script writing, w []rune) (terms []string) {
	if script == hangul {
		whole := string(w)
		w = withoutParticle(w)
		if stopWords()[whole] || stopWords()[string(w)] {
			return nil
		}
	}
	if script == hiragana && len(w) < 4 { // mostly particles and endings
		return nil
	}
	if len(w) == 1 {
		return []string{string(w)}
	}
	for i := 0; i+2 <= len(w); i++ {
		if pair := string(w[i : i+2]); !stopWords()[pair] {
			terms = append(terms, pair)
		}
	}
	return terms
}

// withoutParticle returns a Korean word without the particle or ending at its end. The result may be empty.
func withoutParticle(w []rune) []rune {
	for _, p := range particles() {
		if n := len(w) - len(p); n >= 0 && slices.Equal(w[n:], p) {
			return w[:n]
		}
	}
	return w
}

// particles returns the Korean particles and endings. One comes before the ones with which it ends.
var particles = sync.OnceValue(func() (all [][]rune) {
	for p := range strings.FieldsSeq(`했더라 했습니다 합니다 습니다 입니다 에서는 에서도 으로는 으로도 했는지 하는지 했었지 했는데 하는데 인가요 할까요 하나요
		할지 에서 에게 한테 까지 부터 으로 처럼 보다 마다 조차 라고 이라 하고 했던 하는 했지 했나 하기 하면 해서 하게 된다 되는 됐던 인가 이랑 이나
		을 를 이 가 은 는 의 에 로 와 과 도 만 랑`) {
		all = append(all, []rune(p))
	}
	return all
})

// stem returns the stem of an English word. The stem is the same for most forms of the word, and need not be a word. It is a beginning
// of the word, except that a final y becomes an i.
func stem(w string) string {
	if len(w) < 4 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return w
	}
	if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		w = w[:len(w)-1]
		if slices.ContainsFunc([]string{"ie", "sse", "xe", "che", "she"}, func(end string) bool { return strings.HasSuffix(w, end) }) {
			w = w[:len(w)-1] // it ended with es
		}
	}
	for _, end := range endings {
		if rest, cut := strings.CutSuffix(w, end); cut && len(rest) >= 3 && strings.ContainsAny(rest, "aeiouy") {
			w = rest
			break
		}
	}
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	if rest, cut := strings.CutSuffix(w, "y"); cut && len(rest) > 1 {
		w = rest + "i"
	}
	return w
}

// endings are the endings that stem removes. An ending comes before the endings with which it ends.
var endings = strings.Fields("ements ement ments ment nesses ness ations ation ating ated ates ate ions ion ings ing edly ed ers er ors or ably able ally al ly")

// stopWords has words that occur in most texts, and pairs of characters of Japanese endings.
var stopWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`a about above after again all also am an and any are aren as at be because been before being between both but by can cannot could
		couldn did didn do does doesn doing don done down during each even few for from further get gets getting go goes going gone got had has hasn have haven having he
		her here hers him his how i if in into is isn it its itself just know let like ll made make many may me might more most much must my no nor not now of off ok on once
		one only onto or other our ours out over own please re really same say see shall she should shouldn so some still such than that the their theirs them then there
		these they this those through to too under until up us use used using ve very want was wasn way we well were weren what when where whether which while who whom
		whose why will with within without won would wouldn yes yet you your yours
		얼마 얼마나 동안 어떻게 어떤 어디 언제 무슨 무엇 뭐 왜 누가 그리고 그런데 그래서 다음 때문 대해 관련 얘기 우리
		こと とに にし した たし たん んだ だっ っけ だん たっ まし ます ませ せん でし です でき きる てい いる いた いま ない なか かっ った って ので から まで
		する すか しま され れる られ れた なる なっ よう うに うな には のは ては とは のに のか たの るの けど どう うし うや して てし ため たい たら`) {
		all[w] = true
	}
	return all
})
