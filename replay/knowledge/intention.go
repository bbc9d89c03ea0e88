package knowledge

import (
	"strings"

	"journal/events/text"
)

// intends matches a sentence in which the agent announces its next action.
var intends = text.Pattern(`(?i)^(?:(?:so|now|ok|okay|good|great|perfect|first|next|then|also|finally)[,.!]? )*(?:let me|let's|i'll|i will|i'm going to|i (?:also |now )?(?:need|have) to|i (?:should|can) (?:now|first|also|look|check|read|find|start|verify|update|add|fix|run)|now i |now i'm |now (?:change|step|task|fix|add|update|for|to|create|run)\b|(?:change|step|task) (?:\d+|[a-z])[:.])` +
	`|(?:겠습니다|할게요|ましょう|ていきます|てみます|(?:修正|追加|確認|更新|実行|変更)します)[.。:：]?$`)

// restates matches a sentence that only repeats what the person asked for.
var restates = text.Pattern(`(?i)^the user (?:(?:also |now |just )?(?:wants?|wanted|asks?|asked|says?|said|tells|told)|would like|has (?:asked|told|said)|is (?:asking|telling|saying|pointing|reporting|showing|requesting|making|confirming|right))\b` +
	`|^(?:사용자가|사용자는|유저가|ユーザーは|ユーザーが).*(?:요청|원하|물었|묻|말했|依頼|求めて|尋ね|聞いて|言って)`)

// listLine matches a line of a list.
var listLine = text.Pattern(`^\s*(?:[-*•]|\d+[.)])\s`)

// withoutIntentions returns older words of the agent without the sentences that announce its next action or restate the
// request, and without a list that such a sentence introduces: that action is past, and the request is an item of its own.
func withoutIntentions(words string) string {
	var kept []string
	introduced := false // by an intention
	for line := range strings.Lines(words) {
		line = strings.TrimRight(line, "\r\n")
		if introduced && (listLine().MatchString(line) || strings.TrimSpace(line) == "") {
			continue
		}
		introduced = false
		var rest strings.Builder
		from := 0
		for _, end := range append(sentences().FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
			sentence := line[from:end[1]]
			from = end[1]
			if plain := strings.Trim(sentence, " *"); intends().MatchString(plain) || restates().MatchString(plain) {
				introduced = strings.HasSuffix(strings.TrimSpace(sentence), ":")
				continue
			}
			rest.WriteString(sentence)
		}
		if left := strings.TrimRight(rest.String(), " "); left != "" || strings.TrimSpace(line) == "" {
			kept = append(kept, left)
		}
	}
	left := strings.TrimSpace(strings.Join(kept, "\n"))
	if strings.HasSuffix(left, ":") || strings.HasSuffix(left, "：") { // its last sentence introduces a call
		left = left[:lastSentence(left)]
	}
	return strings.TrimSpace(left)
}

// lastSentence returns the byte at which the last sentence of a text begins.
func lastSentence(s string) int {
	if ends := sentences().FindAllStringIndex(s, -1); len(ends) > 0 {
		return ends[len(ends)-1][1]
	}
	return 0
}
