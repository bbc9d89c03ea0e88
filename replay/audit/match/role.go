package match

import "strings"

// Two words that swap their roles change the meaning of a text: "rename B to A" does not say "rename A to B", and "B calls
// A" does not say "A calls B".

// prepositions are English words that give the next words a role.
var prepositions = func() map[string]string {
	m := map[string]string{}
	for class := range strings.SplitSeq("to into onto toward towards|from|by|of|for|with|in inside within|on|as|than|over|via through using|before|after|between|outside", "|") {
		words := strings.Fields(class)
		for _, w := range words {
			m[w] = words[0]
		}
	}
	return m
}()

// directed are the roles of one end of a relation, whose other end has another role.
var directed = setOf("to from than over by before after")

// particle is a word, or the end of one, that gives the word before it a role.
type particle struct{ form, role string }

// The Korean and Japanese particles, longer ones first.
var (
	koreanParticles = []particle{
		{"에서", "from"}, {"부터", "from"}, {"에게", "to"}, {"으로", "to"}, {"보다", "than"}, {"까지", "until"},
		{"을", "object"}, {"를", "object"}, {"이", "subject"}, {"가", "subject"}, {"은", "subject"}, {"는", "subject"},
		{"로", "to"}, {"에", "at"}, {"와", "with"}, {"과", "with"}, {"의", "of"},
	}
	japaneseParticles = []particle{
		{"から", "from"}, {"まで", "until"}, {"より", "than"}, {"を", "object"}, {"が", "subject"}, {"は", "subject"},
		{"に", "to"}, {"へ", "to"}, {"と", "with"}, {"で", "at"}, {"の", "of"},
	}
)

// reached is how many words a preposition applies to.
const reached = 4

// relate sets the role of each word.
func relate(all []token) {
	role, left := "", 0
	for i := range all {
		t := &all[i]
		if i > 0 && t.clause != all[i-1].clause {
			role = ""
		}
		if p := prepositions[t.form]; p != "" && t.script == latin {
			role, left = p, reached
			continue
		}
		if t.act != "" || left == 0 || t.form == "and" || t.form == "or" || t.form == "then" || t.form == "but" {
			role = ""
		}
		left--
		t.role = role
		if t.script == hangul {
			t.role = roleOf(t.form, koreanParticles, strings.HasSuffix)
		}
	}
	for i := len(all) - 2; i >= 0; i-- {
		t, next := &all[i], all[i+1]
		switch {
		case next.clause != t.clause || t.script == hiragana || prepositions[t.form] != "":
		case next.script == hiragana:
			t.role = roleOf(next.form, japaneseParticles, strings.HasPrefix)
		case t.role == "" && next.script != latin && t.act == "" && next.act == "": // the head of a compound comes last
			t.role = next.role
		}
	}
}

// roleOf returns the role that the first particle gives which a word has at its beginning or end.
func roleOf(word string, particles []particle, has func(word, form string) bool) string {
	for _, p := range particles {
		if has(word, p.form) {
			return p.role
		}
	}
	return ""
}

// swapped reports whether two words of the sentence have swapped roles in the passage.
func (p *placement) swapped() bool {
	for j := range p.chosen {
		for i := range j {
			if p.chosen[i] >= 0 && p.chosen[j] >= 0 && p.sentence.tokens[i].key != p.sentence.tokens[j].key && p.pairSwapped(i, j) {
				return true
			}
		}
	}
	return false
}

func (p *placement) pairSwapped(i, j int) bool {
	a, b := p.sentence.tokens[i], p.sentence.tokens[j]
	x, y := p.summary.tokens[p.chosen[i]], p.summary.tokens[p.chosen[j]]
	if p.sentence.negated[i] != p.sentence.negated[j] && p.summary.polarity[x.clause].negated == p.sentence.negated[j] && p.summary.polarity[y.clause].negated == p.sentence.negated[i] {
		return true
	}
	if a.role != b.role {
		takes := b.role != "" && x.role == b.role && y.role != b.role
		gives := a.role != "" && y.role == a.role && x.role != a.role
		if takes || gives {
			return true
		}
	}
	if p.chosen[i] < p.chosen[j] {
		return false
	}
	moved := y.role == b.role && x.role != b.role || a.role != "" && x.role == a.role && y.role != a.role
	if a.role != b.role && !moved && (directed[a.role] || directed[b.role]) {
		return true
	}
	for k := i + 1; k < j; k++ { // a word still stands between them: they swapped places around it
		if p.chosen[k] > p.chosen[j] && p.chosen[k] < p.chosen[i] && p.sentence.tokens[k].key != a.key && p.sentence.tokens[k].key != b.key {
			return true
		}
	}
	return false
}
