package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"journal/events/text"
	"journal/projections"
)

// Worths of prompts.
var (
	standing = worthKeeping(60, "standing instructions of the person")
	newest   = worthKeeping(70, "the newest request, and the task of a subagent")
	banned   = worthKeeping(80, "earlier requests that begin with what is not to be done")
)

// ratePrompt rates prompts. An earlier request is settled, because the agent ended its turn and the person went on; but a
// prohibition is visible nowhere else.
func ratePrompt(f *projections.Fold) func(Item) Worth {
	request := newestRequest(f)
	return func(i Item) Worth {
		p := promptsRead.get(i.Text)
		switch {
		case p.reply:
			return other
		case p.standing:
			return standing
		case i.Kind == Prompt, i.Kind == Task, i.Seq == request && request > 0:
			return newest
		case p.bans:
			return banned
		}
		return other
	}
}

// newestRequest returns the sequence of the newest prompt that asks for work, or to commit or publish finished work,
// else of the oldest prompt; 0 for none.
func newestRequest(f *projections.Fold) (seq uint64) {
	for p := range projections.Prompts.In(f).Backward() {
		prompt := promptsRead.get(p.Text)
		seq = p.Seq
		isRequest := !prompt.asks
		if prompt.reply {
			isRequest = accepts(p.Text)
		}
		if isRequest {
			break
		}
	}
	return seq
}

// accepts reports whether a short reply accepts the work as done. "Yes, push it" does not: it answers a question.
func accepts(reply string) bool {
	return slices.ContainsFunc(accepting, func(w string) bool { return strings.HasPrefix(strings.ToLower(reply), w) })
}

// accepting lists the beginnings of replies that accept the work as done.
var accepting = strings.Fields("commit push merge ship 커밋 푸시 머지 コミット プッシュ マージ")

// promptText classifies a prompt by its words alone. All but reply and holds are about the person's own words (Own):
//   - reply: it means nothing without the text that it answers (isReply)
//   - standing: it outlives its task (standingWords)
//   - bans: it begins with a prohibition (bans)
//   - forbids: it begins with a no, or has a prohibition (forbidding)
//   - limits: it has something that is not needed or must stay (limitWords)
//   - asks: it is a question (isQuestion)
//   - objects: it has an objection (objects)
//   - holds: one of its sentences instructs for later, too (holdsOn)
type promptText struct{ reply, standing, bans, forbids, limits, asks, objects, holds bool }

// promptsRead caches the class of a prompt.
var promptsRead = cache[promptText]{compute: func(prompt string) promptText {
	own := Own(prompt)
	return promptText{
		reply: isReply(prompt), standing: instructs(own, standingWords), bans: bans(own), forbids: rejects(own) || instructs(own, forbidding), limits: instructs(own, limitWords),
		asks: isQuestion(own), objects: objects(own), holds: holdsOn(prompt),
	}
}}

// rejects reports whether a prompt of at least five words begins with a no that puts nothing off.
func rejects(prompt string) bool {
	words := wordsOf(strings.ToLower(prompt))
	return len(words) > 4 && slices.Contains([]string{"no", "nope", "아니", "いや"}, words[0]) && !slices.Contains(putOff, words[1])
}

// bans reports whether a prompt up to maxStanding begins with a prohibition that does not end with the turn. Korean, Japanese and
// Chinese have it at the end of the first sentence.
func bans(prompt string) bool {
	if text.Units(prompt) > maxStanding {
		return false
	}
	prompt = strings.TrimSpace(strings.ToLower(prompt))
	sentence, after := prompt, ""
	if end := strings.IndexAny(prompt, ".!?\n。！？"); end >= 0 {
		sentence, after = prompt[:end], prompt[end:]
	}
	if strings.HasPrefix(after, "?") || strings.HasPrefix(after, "？") {
		return false
	}
	if strings.HasSuffix(" "+sentence, " for now") || strings.HasSuffix(sentence, " yet") {
		return false
	}
	if slices.ContainsFunc(bansAtEnd, func(w string) bool { return strings.Contains(sentence, w) }) {
		return true
	}
	words := wordsOf(sentence)
	for len(words) > 0 && slices.Contains(beforeBan, words[0]) {
		words = words[1:]
	}
	switch {
	case len(words) < 2:
		return false
	case slices.Contains(undoing, words[0]):
		return slices.Contains(pointing, words[1])
	case words[0] == "do":
		return words[1] == "not"
	case words[0] == "no", words[0] == "nope":
		return rejects(prompt)
	}
	return slices.Contains(banning, words[0])
}

// Words of prohibitions.
var (
	beforeBan = strings.Fields("please oh ok okay and also but so hey well good yes then")
	banning   = strings.Fields("don't dont never stop avoid 아니 아니요 안 いや いいえ")
	undoing   = strings.Fields("revert remove undo delete drop") // before one of pointing
	pointing  = strings.Fields("this that it these those them again")
	bansAtEnd = []string{"하지 마", "하지마", "지 말", "말고", "말아", "ないで", "やめて", "ずに", "不要", "别再", "別再"}
)

// sentences matches the ends of sentences. forbids matches a prohibition in a sentence; one of its two groups is the
// forbidden action.
var (
	sentences = text.Pattern(`[.!?]+(?:\s+|$)|\n+|[。！？]+`)
	forbids   = text.Pattern(`(?i)(?:^|[,;:—–(]\s*|\s-+\s*|\b(?:please|and|but|so|also|then|ok|okay|oh|just|again|now|instead)\s+)(?:don't|dont|do not|never|let's not|lets not|avoid|no more)\s+(?:ever )?(\p{L}+)` +
		`|(\S*)(?:하지 ?마|지 ?말|ないで|やめて|禁止)`)
)

// maxInstruction bounds the prompts that are read for instructions that hold on, in UTF-16 units.
const maxInstruction = 250

// holdsOn reports whether a sentence of a prompt up to maxInstruction has an instruction that holds after the turn.
func holdsOn(prompt string) bool {
	if text.Units(prompt) > maxInstruction {
		return false
	}
	prompt = strings.ReplaceAll(prompt, "’", "'")
	from := 0
	for _, end := range append(sentences().FindAllStringIndex(prompt, -1), []int{len(prompt), len(prompt)}) {
		sentence := strings.TrimSpace(prompt[from:end[1]])
		from = end[1]
		if strings.HasSuffix(sentence, "?") || forNow().MatchString(sentence) {
			continue
		}
		if instructs(sentence, standingWords) || forbidsAction(sentence) {
			return true
		}
	}
	return false
}

// actions lists what an agent can do other than write code. A prohibition of another action is about the code of one task.
var actions = strings.Fields(`commit push amend merge rebase squash force publish deploy release run execute install upgrade touch modify edit change rename
	delete remove stage use mock skip disable ignore leave guess assume ask stop start open close create revert reset format comment reply post`)

// forbidsAction reports whether a sentence forbids an action of the agent. Korean and Japanese sentences have any action.
func forbidsAction(sentence string) bool {
	m := forbids().FindStringSubmatch(strings.ToLower(sentence))
	return m != nil && (m[1] == "" || slices.Contains(actions, m[1]))
}

// forNow matches words of an instruction that ends with the turn, or is about one thing.
var forNow = text.Pattern(`(?i)\b(?:don't|dont|not) \w+ (?:it|this|that)\b|\b(?:yet|for now|until|this time|worry|bother|forget|know|think|need|have to)\b|아직|지금은|일단|まだ|今は|とりあえず`)

// isLifted reports whether a prompt after the event seq of an instruction asks for the action that it forbids.
func isLifted(instruction string, all projections.PromptsState, seq uint64) bool {
	m := forbids().FindStringSubmatch(strings.ToLower(instruction))
	if m == nil || m[1]+m[2] == "" { // the action may be a word of its own before "하지 마"
		return false
	}
	for p := range all.Backward() {
		if p.Seq == seq {
			break
		}
		if asksFor(strings.ToLower(p.Text), m[1], m[2]) {
			return true
		}
	}
	return false
}

// firstClause matches the first clause of a prompt. In Japanese without spaces, forbids takes all clauses before a prohibition for its
// action.
var firstClause = text.Pattern(`^(?s:.*?)(?:(?:[てで]|さい)、|[。！\n]|$)`)

// asksFor reports whether a prompt begins with an action, or is a reply that has it. The action is an English verb, or the stem of a
// Korean or Japanese one, with which a question about the action and its prohibition begin, too.
func asksFor(prompt, verb, stem string) bool {
	rest, begins := strings.CutPrefix(prompt, verb+stem)
	if next, _ := utf8.DecodeRuneInString(rest); verb != "" && unicode.IsLetter(next) {
		begins = false // another word: "user" for "use"
	}
	read := promptsRead.get(prompt)
	if begins && stem != "" {
		again := forbids().FindStringSubmatchIndex(firstClause().FindString(prompt))
		begins = !read.asks && (again == nil || again[4] != 0)
	}
	return begins || read.reply && strings.Contains(prompt, verb+stem)
}

// onlyChecks reports whether a task consists only of running tests, linters or a build.
func onlyChecks(task string) bool {
	words := wordsOf(strings.ToLower(task))
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return !madeOf(w, checkWords, checkParts)
	})
}

// The words of tasks that only check something, and parts of such words.
var (
	checkWords = strings.Fields(`run rerun re-run verify check checks ensure make sure test tests testing lint linter linters linting fmt format formatting build builds compile
		ci suite unit integration go npm mise pass passes passing green work works fix all and the that everything still again final full with race code for in`)
	checkParts = strings.Fields("테스트 린트 빌드 실행 확인 통과 모두 전체 하기 하고 해 을 를 와 과 및 テスト リント ビルド 実行 確認 全て すべて 通過 を の と して する します")
)

// maxReply bounds replies and commands of the client, in UTF-16 units.
const maxReply = 60

// isReply reports whether a prompt is one Latin word, or only commands of the client and words that mean nothing without the text
// that they answer: "yes", "push it", "계속해 줘", "続けてください".
func isReply(prompt string) bool {
	if text.Units(prompt) > maxReply {
		return false
	}
	words := wordsOf(strings.ToLower(attached().ReplaceAllString(prompt, "")))
	if len(words) == 1 && !strings.ContainsFunc(words[0], func(r rune) bool { return r > unicode.MaxLatin1 }) {
		return true
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !madeOf(w, replyWords, replyParts) && !strings.HasPrefix(w, "/") })
}

// attached matches the client's mark of an attachment.
var attached = text.Pattern(`\[(?:Image|Pasted text) #\d+[^\]]*\]`)

// wordsOf returns the words of a prompt without punctuation.
func wordsOf(prompt string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(prompt, "’", "'"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '\'' && r != '-' && r != '/' || unicode.IsSymbol(r)
	})
}

// madeOf reports whether a word consists of some parts, perhaps with one of some words at the end. Korean and Japanese are
// written without spaces, even before a Latin word.
func madeOf(w string, words, parts []string) bool {
	ends := make([]bool, len(w)+1) // where parts can end
	ends[0] = true
	for i := range w {
		if !ends[i] {
			continue
		}
		if slices.Contains(words, w[i:]) {
			return true
		}
		for _, part := range parts {
			if strings.HasPrefix(w[i:], part) {
				ends[i+len(part)] = true
			}
		}
	}
	return ends[len(w)]
}

// replyWords lists the words of replies, replyParts the parts of their words in Korean and Japanese.
var replyWords = strings.Fields(`hi hello hey there morning a again ahead all also and approve approved changes commit continue cool correct do done draft everything
	exactly fine fix go good great it it's just k keep let let's lets lgtm looks me merge my nice no nope now of ok okay on open perfect please pls
	pr proceed push raise re-run re-test ready rerun resume retry right run same ship sounds stop sure test tests thank thanks that that's the them
	then these this those too try up us wait was well with y ya yeah yep yes yo you yup implement going idea done finish start`)

var replyParts = strings.Fields(`안녕 안녕하세요 こんにちは おはよう 네 넵 넹 예 응 어 그래 그렇게 그대로 그럼 좋아 좋습니다 좋네 알겠어 알겠습니다 맞아 맞습니다 아니 아니요 계속 진행 다시
	이어서 시작 완료 커밋 푸시 머지 실행 테스트 고마워 감사합니다 감사 부탁해 부탁드립니다 부탁 해 해줘 해주세요 하자 하세요 합시다 주세요 줘 요 이거 그거 이제 전부 다 도 로 으로 하고 을 를
	はい うん ええ いいえ いいよ いいです いい 了解 承知 お願いします お願い 続けて 続き 続行 進めて 進め 次へ 次 もう一度 そのまま それ これ で を と も は して しましょう
	しよう ください 下さい コミット プッシュ マージ 実行 テスト ありがとう ございます です ました した ね よ じゃあ では 大丈夫 その通り すすめて つづけて`)

// isQuestion reports whether a prompt up to maxStanding is questions alone, and no request in the form of one: "can you fix it?".
func isQuestion(prompt string) bool {
	prompt = strings.TrimRightFunc(prompt, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsSymbol(r) || unicode.IsMark(r) || r == '\u200d'
	})
	questions := strings.FieldsFunc(prompt, func(r rune) bool { return r == '?' || r == '？' })
	marked := strings.HasSuffix(prompt, "?") || strings.HasSuffix(prompt, "？")
	return len(questions) > 0 && text.Units(prompt) <= maxStanding && (marked || asksHow(questions[len(questions)-1])) &&
		!slices.ContainsFunc(questions, func(question string) bool { return !onlyAsks(strings.TrimSpace(question)) })
}

// onlyAsks reports whether the words before a question mark are one question, and no request in the form of one.
func onlyAsks(question string) bool {
	if strings.ContainsAny(question, "\n!。！") || strings.Contains(question, ". ") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if len(words) == 0 || slices.ContainsFunc(wishEndings, func(e string) bool { return strings.HasSuffix(question, e) }) {
		return false
	}
	open := slices.Contains(asking, words[0])
	for i, w := range words {
		toPerson := i+1 < len(words) && slices.Contains(persons, words[i+1])
		if slices.Contains(wishWords, w) || !open && toPerson && slices.Contains(modals, w) {
			return false
		}
	}
	return true
}

// asksHow reports whether a text is a question even without a question mark: "why is it red".
func asksHow(prompt string) bool {
	words := strings.Fields(strings.ToLower(prompt))
	return len(words) > 2 && slices.Contains(asking, words[0]) && slices.Contains(auxiliaries, words[1])
}

// objects reports whether a question has an objection: "isn't that slow?".
func objects(question string) bool {
	padded := " " + strings.ToLower(strings.ReplaceAll(question, "’", "'")) + " "
	return slices.ContainsFunc(objections, func(w string) bool { return strings.Contains(padded, w) })
}

// objections mark a question that objects. Latin ones stand between spaces.
var objections = []string{
	"n't ", "why not ", " is not ", " instead ", " rather ", " surely ", " better ", "않", "아니", "아닌", "안 되", "대신", "ない", "なく", "代わり", "むしろ",
}

// Words of a request in the form of a question. Modals count only before persons, and not in a question that begins with
// one of asking.
var (
	wishWords   = strings.Fields("should shall let's lets please")
	modals      = strings.Fields("can could will would")
	persons     = strings.Fields("you u ya we i us")
	asking      = strings.Fields("how why what where when which who")
	auxiliaries = strings.Fields("is are was were do does did can could will would has have had")
	wishEndings = []string{"줄래", "주세요", "주실래요", "주시겠어요", "줄 수 있어", "주실 수 있나요", "할까", "할까요", "くれる", "くれますか", "もらえる", "もらえますか", "いただけますか", "しようか", "しましょうか"}
)

// maxStanding bounds the prompts that are read for instructions and questions, in UTF-16 units: longer ones may be pasted
// from somebody else.
const maxStanding = 500

// instructs reports whether a sentence of a prompt has one of the words. It ignores questions, requests in the form of one
// ("can we keep a way to always warn"), and instructions for now.
func instructs(prompt string, words []string) bool {
	if text.Units(prompt) > maxStanding {
		return false
	}
	prompt = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(prompt), "’", "'"), "dont ", "don't ")
	for _, sentence := range strings.FieldsFunc(prompt, func(r rune) bool { return strings.ContainsRune(".!\n。！", r) }) {
		if strings.ContainsAny(sentence, "?？") {
			continue
		}
		all := strings.FieldsFunc(sentence, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:()\"", r) })
		if len(all) > 0 && slices.Contains(modals, all[0]) {
			continue
		}
		padded := " " + strings.Join(all, " ") + " "
		if strings.HasSuffix(padded, " yet ") || strings.HasSuffix(padded, " for now ") {
			continue // it ends with the turn
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(padded, w) }) {
			return true
		}
	}
	return false
}

// standingWords mark a request that outlives its task. Latin ones stand between spaces.
var standingWords = []string{
	" always ", " never ", " from now on ", " going forward ", " in the future ", " every time ", " whenever ", " at all times ", " don't ever ", " do not ever ", " i prefer ",
	"항상", "언제나", "절대", "앞으로", "반드시", "매번", "하지 마", "하지마", "쓰지 마", "常に", "いつも", "必ず", "絶対", "今後", "これから", "毎回", "しないで", "使わないで", "禁止",
	"总是", "總是", "永远", "永遠", "以后", "以後", "必须", "必須", "每次", "绝对", "絕對", "一律",
}

// forbidding words introduce a prohibition. It holds until the person lifts it.
var forbidding = []string{" don't ", " i hate ", " do not ", " must not ", "말고", "말아", "せず", "不要", "别再", "別再"}

// limitWords introduce something that is not needed, or that must stay as it is.
var limitWords = []string{
	" not to ", " no longer ", " no need ", " without ", " avoid ", " on purpose ", " intentional ", " intentionally ",
	" instead of ", " rather than ", " only ", " keep ", " leave ", " unless ", "대신", "않", "두지", "그대로 ", "だけ", "ではなく", "代わりに", "残し",
}
