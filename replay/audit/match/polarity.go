package match

import "strings"

// polarity is what reverses the meaning of a clause. Texts of different polarity do not say the same.
type polarity struct {
	negated  bool // not, never, 않는다, しない
	contrast bool // instead of, 대신, ではなく
	open     bool // whether, 할지, かどうか: undecided
}

// agrees reports whether a passage of this polarity can say a text of another: both are the same, but a decided passage
// can say an open text.
func (p polarity) agrees(want polarity) bool {
	return p.negated == want.negated && p.contrast == want.contrast && (!p.open || want.open)
}

func (p polarity) or(q polarity) polarity {
	return polarity{p.negated || q.negated, p.contrast || q.contrast, p.open || q.open}
}

// polarityAt returns what the i-th token does to its clause.
func polarityAt(all []token, i int) polarity {
	t := all[i]
	switch t.script {
	case latin:
		switch t.form {
		case "not", "no", "never", "none", "without", "cannot", "nobody", "nothing", "nowhere", "neither", "nor",
			"avoid", "avoids", "reject", "rejected", "forbid", "forbidden", "disallow", "disallowed":
			return polarity{negated: true}
		case "instead", "rather", "over", "versus":
			return polarity{contrast: true}
		case "whether", "undecided":
			return polarity{open: true}
		}
		return polarity{negated: strings.HasSuffix(t.form, "n't")}
	case hangul:
		switch {
		case strings.HasSuffix(t.form, "할지"), strings.HasSuffix(t.form, "는지"), strings.HasSuffix(t.form, "을지"):
			return polarity{open: true}
		case t.form == "대신":
			return polarity{contrast: true}
		case t.form == "안", strings.HasPrefix(t.form, "않"), strings.HasPrefix(t.form, "못"),
			strings.HasPrefix(t.form, "없"), strings.HasPrefix(t.form, "금지"):
			return polarity{negated: true}
		case strings.HasPrefix(t.form, "말") || strings.HasPrefix(t.form, "마"):
			return polarity{negated: i > 0 && strings.HasSuffix(all[i-1].form, "지")}
		}
	case hiragana:
		return kanaPolarity(all, i)
	case han:
		return polarity{negated: strings.Contains(t.form, "禁止") || strings.Contains(t.form, "不要")}
	}
	return polarity{}
}

func kanaPolarity(all []token, i int) polarity {
	form := all[i].form
	if i > 0 && all[i-1].to == all[i].from && (strings.HasSuffix(all[i-1].form, "少") || strings.HasSuffix(all[i-1].form, "必")) {
		return polarity{} // 少なくとも, 必ず: no negations
	}
	if strings.Contains(form, "かどうか") {
		return polarity{open: true}
	}
	if strings.Contains(form, "ではなく") || strings.Contains(form, "よりも") {
		return polarity{contrast: true}
	}
	for _, no := range []string{"ない", "なく", "なかっ", "ません", "ずに"} {
		if strings.Contains(form, no) {
			return polarity{negated: true}
		}
	}
	return polarity{negated: strings.HasSuffix(form, "ず") && form != "まず"}
}

// small are the English words without weight.
var small = setOf(`a an the of to in on at by for from with and or as is are was were be been it its this that
		these those then than so we i you he she they them our my your their do does did will would should must may can could
		please let just also only ever not no never none without cannot nothing instead rather over all any
		has have had there here what which who how why when if but about per let's lets too
		into onto via through get gets got getting now new already current currently full suite related relevant stay stays`)

// weightless reports whether a token has no weight.
func weightless(t token) bool {
	switch t.script {
	case latin:
		return small[t.form] || strings.HasSuffix(t.form, "n't")
	case hiragana:
		return true
	case hangul:
		return isEnding([]rune(t.form)) || strings.HasPrefix(t.form, "않") || t.form == "안" || t.form == "대신" || strings.HasPrefix(t.form, "말")
	}
	return false
}
