package match

import "strings"

// lexicon is a set of words: English ones by lemma, Korean and Japanese ones by their beginnings.
type lexicon struct {
	lemmas     map[string]bool
	beginnings []string
}

// setOf returns a set of words.
func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

func lexiconOf(words string) lexicon {
	l := lexicon{lemmas: map[string]bool{}}
	for w := range strings.FieldsSeq(words) {
		if w[0] < 0x80 {
			l.lemmas[lemma(w)] = true
		} else {
			l.beginnings = append(l.beginnings, w)
		}
	}
	return l
}

// has reports whether a word is in the set. An entry of one character matches whole words only: 書 is to write, 書類 are
// papers.
func (l lexicon) has(t token) bool {
	switch t.script {
	case latin:
		return l.lemmas[t.key]
	case exact:
		return false
	}
	for _, b := range l.beginnings {
		if t.form == b || len(b) > len("書") && strings.HasPrefix(t.form, b) {
			return true
		}
	}
	return false
}

// Words of summaries about tasks, commands and failures.
var (
	// running says that a command ran.
	running = lexiconOf("run execute check verify pass fail succeed show output return report confirm test command build green clean break exit 실행 통과 성공 확인 돌렸 돌려 実行 成功 確認 通った")
	// passing says that something ended well.
	passing = lexiconOf("pass succeed successfully clean cleanly green 통과 성공 成功 通った")
	// looking says that something was read.
	looking = lexiconOf("fetch retrieve read check review examine explore find found analyze inspect verify investigate search 확인 조회 確認 取得")
	// failing says that something failed. faulty also has the words for errors.
	failing = lexiconOf("fail failure break crash panic flaky race 실패 깨졌 失敗")
	faulty  = lexiconOf("fail failure break crash panic flaky race error 실패 깨졌 오류 에러 失敗 エラー")
	// existing says that something is there.
	existing = lexiconOf("exist available access accessible install installed run find found match")
	// conflicting says that a merge has conflicts.
	conflicting = lexiconOf("conflict conflicted conflicting 충돌 競合 コンフリクト")
	// describing has words that fit any text.
	describing = lexiconOf(`plan detailed list text pasted output message details content log logs example code full long step
		section screenshot image transcript show describe trace stack error instructions provided included follows context
		document paste extensive item point completed session command`)
)
