package match

import (
	"strings"
	"testing"
)

// spelled shows how a text is understood: its words in their folded form, | between
// clauses and ‖ between sentences; (aside); /role; =what a verb does;
// ! negated, ~ contrast and ? open, of the word that says so; {the words of a name}.
func spelled(s string) string {
	var b strings.Builder
	all := tokens(s)
	for i, t := range all {
		if i > 0 {
			border := " "
			switch before := all[i-1]; {
			case before.sentence != t.sentence:
				border = " ‖ "
			case before.clause != t.clause:
				border = " | "
			}
			b.WriteString(border)
		}
		word := t.form
		if t.aside {
			word = "(" + word + ")"
		}
		if t.role != "" {
			word += "/" + t.role
		}
		if t.act != "" {
			word += "=" + string(t.act)
		}
		p := polarityAt(all, i)
		for _, mark := range []struct {
			is   bool
			sign string
		}{{p.negated, "!"}, {p.contrast, "~"}, {p.open, "?"}} {
			if mark.is {
				word += mark.sign
			}
		}
		b.WriteString(word)
	}
	return b.String()
}

// TestSpelled: what belongs together, what verbs do, and what turns a clause around,
// in the languages of summaries.
func TestSpelled(t *testing.T) {
	t.Parallel()
	for s, want := range spellings {
		if got := spelled(s); got != want {
			t.Errorf("%q:\n got %s\nwant %s", s, got, want)
		}
	}
}

var spellings = map[string]string{
	// Borders: of sentences, of clauses, none within names and numbers.
	"One. Two; three! Four? five\nsix。七":  "one ‖ two ‖ three ‖ four ‖ five ‖ six ‖ 七",
	"store.go is v1.2.3, at 12:30: ready": "store.go is v1.2.3 | at 12:30 | ready",
	"a: b, c、d (e, f) g":                  "a | b | c | d | (e) | (f) | g",
	"(a (b) c) d) (e)) (f) g":             "(a) | (b) | (c) | d | (e) | (f) | g",
	"rows - all of them - stay. More":     "rows | (all) (of) (them)/of | (stay) ‖ more",
	"- rows":                              "rows",
	"rows -x y- z":                        "rows x y z",
	"key:value 3:x x:3":                   "key value 3 x x 3",
	"first-parent don't snake_case it's k=v me@host '0.5+1'":    "first parent don't! snake_case it's k=v me@host 0.5+1",
	"Auto-Apply userName URL X-Ray":                             "auto apply username url x ray",
	"5日 5시간 5 hours":                                            "5日 5시 간 5 hours",
	"「はい」 ‘yes’ “no” — or – so":                                 "はい yes no! | (or) | (so)",
	"ＡＰＩ\u3000ｶﾞｰﾄﾞ ｱ\u00a0か\u3099は\u309a 각 \u1100\u1161\u11a8": "api/subject ガード/subject ア/subject がぱ 각 각",
	// Names.
	"agentNameOpenClaw rate_limit a/b/loadState.go v2Rows ABc": "agentnameopenclaw rate_limit a/b/loadstate.go v2rows abc",
	// Roles.
	"rename A1 to B1 then C1":                "rename a1 to b1/to then c1",
	"from the old big red shed door into X1": "from the/from old/from big/from red/from shed door into x1/to",
	"calls of X1, Y1 or Z1 and W1":           "calls of x1/of | y1 or z1 and w1",
	"to add rows":                            "to add=make rows",
	"저장소에서 서버로 파일을 보다 규칙까지":                  "저장소에서/from 서버로/to 파일을/object 보다/than 규칙까지/until",
	"main 에 v2를 병합":                          "main/at 에/at v2를 병합",
	"表からストアへ行を移す":                            "表/from から ストア/to へ 行/object を 移 す",
	"goのparserが行まで":                          "go/of の parser/subject が 行/until まで",
	// What verbs do.
	"Added rows and removed columns":   "added=make rows and removed=remove columns",
	"rows were added, columns removed": "rows were added=make | columns removed=remove",
	"the implementation removal of X1": "the implementation removal of x1/of",
	"add the removed rows":             "add=make the removed=remove rows",
	"재시도 추가하고 예산 삭제":                   "재시도 추가하고=make | 예산 삭제=remove",
	"行を追加し列を削除":                        "行/object を 追加=make し 列/object を 削除=remove",
	"fix it. it breaks":                "fix=fix it ‖ it breaks",
	// What turns a clause around.
	"it doesn't, cannot, won't avoid it": "it doesn't! | cannot! | won't! avoid! it",
	"X1 over Y1 versus Z1":               "x1 over~ y1/over versus/over~ z1/over",
	"nothing is rejected without me, no": "nothing! is rejected! without! me | no!",
	"X1 instead of Y1 rather than Z1":    "x1 instead~ of y1/of rather/of~ than z1/than",
	"whether it is undecided":            "whether? it is undecided?",
	"안 한다 하지 않는다 못 한다 없다 금지한다":           "안! 한다 하지 않는다! 못! 한다 없다! 금지한다!",
	"쓰지 말 것 말 하지 마":                      "쓰지 말! 것 말 하지 마!",
	"할지 되는지 했을지 대신":                      "할지? 되는지? 했을지? 대신~",
	"少なくとも 必ず まず せず 使わない ない":             "少 なくとも 必 ず まず せず! 使 わない! ない!",
	"かどうか ではなく よりも ません ずに なかった":          "かどうか? ではなく~ よりも~ ません! ずに! なかった!",
	"使用禁止 不要 不明":                         "使用禁止! 不要! 不明",
	"적용하고 서버 되고 그렇지만 지만 병합하며 삭제고 추가며 끝고 행": "적용하고 | 서버 되고 그렇지만 | 지만 병합하며 | 삭제고=remove | 추가며=make | 끝고 행",
}
