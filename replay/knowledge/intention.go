package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
)

// intends matches a sentence in which the agent announces its next action.
var intends = text.Pattern(`(?i)^(?:(?:so|now|ok|okay|good|great|perfect|first|next|then|also|finally)[,.!]? )*(?:let me|let's|i'll|i will|i'm going to|i (?:also |now )?(?:need|have) to|i (?:should|can) (?:now|first|also|look|check|read|find|start|verify|update|add|fix|run)|now i |now i'm |now (?:change|step|task|fix|add|update|for|to|create|run)\b|(?:change|step|task) (?:\d+|[a-z])[:.])` +
	`|(?:겠습니다|할게요|ましょう|ていきます|てみます|(?:修正|追加|確認|更新|実行|変更)します)[.。:：]?$`)

// decides matches a sentence that says what the agent chose, although it begins like an intention.
var decides = text.Pattern(`(?i)\b(?:go|going) with\b|\bstick (?:with|to)\b`)

// concluding matches a sentence in which a line of thought turns to its result.
var concluding = text.Pattern(`(?i)^[^\p{L}\p{N}]*(?:found it|ah[,!]? i see|i see (?:the|what) (?:\w+ )?(?:bug|problem|issue|cause|is)|yes,? this|but now|so (?:the|in|it|this|these|there)\b|this (?:confirms|explains|means|is the (?:\w+ )?(?:bug|problem|issue|cause|reason))|that(?:'s| is) (?:it|why)|the (?:\w+ )?(?:bug|problem|issue|root cause|cause|fix|solution)(?: is| was|:)|in (?:every|each|both) case|it turns out|(?:let me|i'll|let's|i will) go with|the only (?:one|place)` +
	`|결국|따라서|즉[ ,]|문제는|원인은|つまり|よって|原因は|問題は|結局)`)

// minConclusion is the length of a conclusion that means something alone, in UTF-16 units.
const minConclusion = 60

// These match the beginning of a sentence in which the agent takes back what it just said: refutes if the sentence says no
// more than that, corrects if it goes on with what holds instead.
var (
	refutes  = text.Pattern(`(?i)^(?:but |hmm,? |oh,? )?(?:(?:this|that) (?:doesn't|does not|isn't|is not|can't|cannot) (?:explain|be|the|right|it)\b|that's (?:not|wrong)\b|let me re-?think\b)`)
	corrects = text.Pattern(`(?i)^(?:but |hmm,? |oh,? )?(?:(?:no,? )?wait\b|on second thought)|^(?:아니,|잠깐,|いや、|待って)`)
)

// reconsiders matches the beginning of a sentence after which the steps before it no longer hold: the agent corrects itself, or prefers
// another way.
var reconsiders = text.Pattern(`(?i)^(?:but |hmm,? |oh,? )?(?:(?:no,? )?wait\b|on second thought|actually\b|alternatively\b|(?:a|the) (?:better|best|cleaner|cleanest|simpler|simplest) \w+)` +
	`|^(?:아니,|잠깐,|그보다|사실|いや、|待って|それより|むしろ)`)

// alternatives matches a sentence before a list of which the agent would do one item.
var alternatives = text.Pattern(`(?i)\b(?:either|options?|one of|alternatives?|choices?|approaches)\b|중 하나|방안|선택지|いずれか|選択肢|案が`)

// unretracted returns words of the agent without the conclusions that it took back in them. At a sentence that takes the newest
// conclusion back, it drops that conclusion and what follows it, and the sentence itself if it only refutes.
func unretracted(words string) string {
	words = gluedSentence().ReplaceAllString(words, "$1 $2")
	var kept []string        // sentences
	from, concluded := 0, -1 // concluded is the index in kept of the newest conclusion, -1 for none
	for _, end := range append(sentences().FindAllStringIndex(words, -1), []int{len(words), len(words)}) {
		sentence := words[from:end[1]]
		from = end[1]
		plain := strings.TrimLeft(sentence, " *_\t")
		refuted := refutes().MatchString(plain)
		if concluded >= 0 && (refuted || corrects().MatchString(plain)) {
			kept, concluded = kept[:concluded], -1
			if refuted {
				continue
			}
		}
		if concluding().MatchString(plain) {
			concluded = len(kept)
		}
		kept = append(kept, sentence)
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// proving matches words that state the result of an investigation outright; concluding also matches weaker ones.
var proving = text.Pattern(`(?i)\b(?:found it|confirms|explains|turns out|root cause|(?:this is|that is|that's|the (?:\w+ )?) ?(?:the )?(?:\w+ )?(?:bug|problem|cause|culprit))\b|원인은|문제는|原因は|問題は`)

// guesses matches words of a guess or an open question.
var guesses = text.Pattern(`(?i)\b(?:probably|likely|perhaps|maybe|might|possibly|(?:could|may) (?:be|mean)|suspect|not sure|unless|what if)\b|아마|일지도|수도 있|것 같|おそらく|たぶん|かもしれ`)

// maxMark is the length of the part of a sentence that is searched for the beginning of a conclusion, in bytes. It bounds the
// time for a long text whose sentences have no letters.
const maxMark = 128

// conclusions returns the bytes of a finding at which the sentences begin that begin a conclusion.
func conclusions(found string) (all []int) {
	from := 0
	for _, end := range append(sentences().FindAllStringIndex(found, -1), []int{len(found), len(found)}) {
		if concluding().MatchString(found[from:min(len(found), from+maxMark)]) {
			all = append(all, from)
		}
		from = end[1]
	}
	return all
}

// hasConclusion reports whether a finding has one.
func hasConclusion(found string) bool { return len(conclusions(found)) > 0 }

// fromConclusion returns a finding that is longer than some UTF-16 units from its last conclusion, and others whole.
func fromConclusion(found string, units int) string {
	if text.Units(found) <= units {
		return found
	}
	for _, from := range slices.Backward(conclusions(found)) {
		if from > 0 && text.Units(found[from:]) >= minConclusion {
			return "… " + found[from:]
		}
	}
	return found
}

// restates matches a sentence that only repeats what the person asked for.
var restates = text.Pattern(`(?i)^the user (?:(?:also |now |just )?(?:wants?|wanted|asks?|asked|says?|said|tells|told)|would like|has (?:asked|told|said)|is (?:asking|telling|saying|pointing|reporting|showing|requesting|making|confirming|right))\b` +
	`|^(?:사용자가|사용자는|유저가|ユーザーは|ユーザーが).*(?:요청(?:했|하였|합|함)|원(?:합|했)|물었|묻고 있|말했|(?:依頼|要求)(?:しま|しています|した$)|求めてい|尋ねてい|聞いてい|言ってい)\S{0,6}[.。]?$`)

// listLine matches a line of a list, and verdictLine one with a name and what the agent says about it.
var (
	listLine    = text.Pattern(`^\s*(?:[-*•]|\d+[.)])\s`)
	verdictLine = text.Pattern("^\\s*(?:[-*•]|\\d+[.)])\\s+(?:\\*\\*`?|`)[^*`]+(?:`?\\*\\*|`)[^\\n]{0,40}?(?: [-—–] |: )")
)

// hasVerdicts reports whether a finding has several lines that verdictLine matches.
func hasVerdicts(found string) bool {
	n := 0
	for line := range strings.Lines(found) {
		if verdictLine().MatchString(line) {
			n++
		}
	}
	return n > 1
}

// These match the sentence before a list: seesFacts before facts, and looksFirst before what the agent would look at, which
// are no steps of the work.
var (
	seesFacts  = text.Pattern(`(?i)\bi (?:can |now |also |do )*(?:see|understand|know)\b|\blet me (?:think|analy[sz]e|summari[sz]e|recap|trace)\b`)
	looksFirst = text.Pattern(`(?i)\b(?:look|check|verify|search|explore|review|read|find out)\b[^:]*:$`)
)

// gluedSentence matches the end of a sentence and the beginning of the next one, which a model wrote without a space between them.
var gluedSentence = text.Pattern("([\\p{Ll}\\d)`*][.:!?])((?:Actually|Also|And|But|If|In|It|Let|Looking|Now|Since|So|That|The|Then|There|These|They|This|Wait|We|What)(?:'\\pL+)? )")

// gluedItem matches the number of an item that a model wrote without a new line before it.
var gluedItem = text.Pattern("(\\D[:.)`\"])(\\d{1,2}\\. \\p{Lu})")

// splitPlan splits words of the agent into what it found and its plan. found is without the sentences that announce what the agent
// would do next, which later calls did, and without the lists of steps after them. Unless keepRequest is set, it is also without
// sentences that repeat what the agent was asked. plan is the last such list of several steps, with its sentence: "" for none, and if
// the agent reconsidered after it. A list of names with verdicts is no list of steps, and neither is one of alternatives.
func splitPlan(words string, keepRequest bool) (found, plan string) {
	var kept, steps []string
	introduction := "" // the intention before the list
	endList := func() {
		if len(steps) > 1 && !looksFirst().MatchString(introduction) && !alternatives().MatchString(introduction) {
			plan = introduction + "\n" + strings.Join(steps, "\n")
		}
		introduction, steps = "", nil
	}
	for line := range strings.Lines(gluedItem().ReplaceAllString(words, "$1\n$2")) {
		line = strings.TrimRight(line, "\r\n")
		switch isStep := listLine().MatchString(line) && !verdictLine().MatchString(line); {
		case introduction != "" && isStep:
			steps = append(steps, line)
			continue
		case introduction != "" && strings.TrimSpace(line) == "":
			continue
		}
		endList()
		var remaining strings.Builder
		from := 0
		for _, end := range append(sentences().FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
			sentence := line[from:end[1]]
			from = end[1]
			plain := strings.Trim(sentence, " *")
			if reconsiders().MatchString(plain) {
				plan = ""
			}
			announces := intends().MatchString(plain) && !decides().MatchString(plain)
			if announces || !keepRequest && restates().MatchString(plain) {
				introduction = ""
				if strings.HasSuffix(plain, ":") && !seesFacts().MatchString(plain) {
					introduction = plain
				}
				continue
			}
			remaining.WriteString(sentence)
		}
		if left := strings.TrimRight(remaining.String(), " "); left != "" || strings.TrimSpace(line) == "" {
			kept = append(kept, left)
		}
	}
	endList()
	return withoutLead(strings.TrimSpace(strings.Join(kept, "\n"))), plan
}

// leads lists the ends of sentences that introduce a call, or that ask what a call answers.
var leads = []string{":", "：", "?", "？", "까요", "까요.", "ますか", "ますか。"}

// withoutLead returns a finding without sentences at its end after which calls followed: they introduce one, or ask what it answers.
func withoutLead(found string) string {
	ends := sentences().FindAllStringIndex(found, -1)
	for slices.ContainsFunc(leads, func(end string) bool { return strings.HasSuffix(found, end) }) {
		for len(ends) > 0 && ends[len(ends)-1][1] >= len(found) {
			ends = ends[:len(ends)-1]
		}
		from := 0
		if len(ends) > 0 {
			from = ends[len(ends)-1][1]
		}
		found = strings.TrimSpace(found[:from])
	}
	return found
}

// lastSentence returns the byte at which the last sentence of a text begins. The text must not have the mark of its end.
func lastSentence(s string) int {
	if ends := sentences().FindAllStringIndex(s, -1); len(ends) > 0 {
		return ends[len(ends)-1][1]
	}
	return 0
}

// isGuess reports whether the last conclusion or the last sentence of a finding without a proof is a guess.
func isGuess(found string) bool {
	if proving().MatchString(found) {
		return false
	}
	begins := []int{lastSentence(strings.TrimRight(found, "?!.？！。 "))}
	if all := conclusions(found); len(all) > 0 {
		begins = append(begins, all[len(all)-1])
	}
	for _, from := range begins {
		sentence := found[from:]
		if end := sentences().FindStringIndex(sentence); end != nil {
			sentence = sentence[:end[0]]
		}
		if guesses().MatchString(sentence) {
			return true
		}
	}
	return false
}
