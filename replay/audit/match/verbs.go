package match

import (
	"slices"
	"strings"
)

// action is what a verb does. Verbs with the same action match: to add a test is to write it.
type action string

// The actions that the rules name.
const (
	making   action = "make"
	changing action = "change"
	removing action = "remove"
	mending  action = "fix"
)

// actions are the verbs of each.
var actions = []struct {
	act   action
	verbs lexicon
}{
	{making, lexiconOf("add create write implement introduce 추가 작성 구현 생성 도입 만들 만든 追加 作成 実装 生成 導入 書")},
	{changing, lexiconOf("update modify change adjust edit 변경 갱신 바꾸 바꿔 바꿨 変更 更新 変")},
	{removing, lexiconOf("remove delete drop eliminate 삭제 제거 없애 없앴 지우 지웠 지운 削除 除去 消")},
	{mending, lexiconOf("fix resolve repair solve 수정 고치 고쳐 고쳤 해결 修正 解決 直")},
	{"enable", lexiconOf("enable activate 활성 有効")},
	{"disable", lexiconOf("disable deactivate 비활성 無効")},
	{"increase", lexiconOf("increase raise bump 늘리 늘려 늘렸 올리 올려 올렸 増 上")},
	{"decrease", lexiconOf("decrease lower reduce 줄이 줄여 줄였 낮추 내리 내려 減 下")},
	{"upgrade", lexiconOf("upgrade 업그레이드 アップグレード")},
	{"degrade", lexiconOf("downgrade 다운그레이드 ダウングレード")},
	{"keep", lexiconOf("keep retain preserve 유지 남기 残")},
}

// opposites undo each other.
var opposites = func() map[[2]action]bool {
	m := map[[2]action]bool{}
	for _, pair := range [][2]action{
		{making, removing}, {changing, removing}, {"keep", removing}, {"enable", "disable"}, {"increase", "decrease"}, {"upgrade", "degrade"},
	} {
		m[pair], m[[2]action{pair[1], pair[0]}] = true, true
	}
	return m
}()

// actionOf returns the action of a word, "" for nouns such as implementation.
func actionOf(t token) action {
	if t.script == latin && (strings.HasSuffix(t.form, "tion") || strings.HasSuffix(t.form, "val")) {
		return ""
	}
	for _, a := range actions {
		if a.verbs.has(t) {
			return a.act
		}
	}
	return ""
}

// undoes reports whether one of some verbs is the opposite of an action, and none is the action itself.
func undoes(verbs []action, act action) bool {
	return !slices.Contains(verbs, act) && slices.ContainsFunc(verbs, func(v action) bool { return opposites[[2]action{act, v}] })
}
