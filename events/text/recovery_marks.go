package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The marks around a recovery text that a person pastes into a prompt: by them the text is recognised in the prompt. The first
// mark holds the session's id. Both hold a digest of the text, so that the text cannot contain its own end mark.
const (
	ownBegin = "<!-- journal recover --session "
	ownEnd   = "<!-- end of journal recover"
	ownMark  = " --mark "
	markEnd  = " -->"
)

// ownTags are the beginnings of the marks behind "<!-- ". Inert breaks the marks of a foreign text.
var ownTags = []string{"journal recover", "end of journal recover"}

// Marked encloses a session's recovery text in the marks. It returns s unchanged for a session id that a mark cannot contain.
func Marked(session, s string) string {
	if session == "" || strings.ContainsAny(session, "\n<>") || s == "" {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	mark := ownMark + hex.EncodeToString(sum[:8])
	return ownBegin + session + mark + markEnd + "\n" + s + "\n" + ownEnd + mark + markEnd
}

// MarkUnits is the length of the marks around a text, in UTF-16 units, for a session id of 36 characters, as a UUID has.
const MarkUnits = 152

// WithoutRecovery removes recovery texts from a prompt. It returns the person's words around them, and the sessions that the
// texts name. found is false for a prompt without any; words is then the prompt.
func WithoutRecovery(prompt string) (words string, sessions []string, found bool) {
	rest := prompt
	for {
		start, session, after := nextRecovery(rest)
		if start < 0 {
			break
		}
		found = true
		words += rest[:start]
		if session != "" {
			sessions = append(sessions, session)
		}
		rest = after
	}
	if !found {
		return prompt, nil, false
	}
	return strings.TrimSpace(words + rest), sessions, true
}

// Linked replaces the recovery texts in a prompt by links to their sessions, in front of the person's words.
func Linked(prompt string) string {
	words, sessions, found := WithoutRecovery(prompt)
	if !found {
		return prompt
	}
	var lines []string
	for _, s := range sessions {
		lines = append(lines, "`journal recover --session "+s+"`")
	}
	if len(lines) == 0 {
		lines = append(lines, "`journal recover`")
	}
	if words != "" {
		lines = append(lines, words)
	}
	return strings.Join(lines, "\n")
}

// nextRecovery finds the first recovery text: by its mark, or by its first two lines if it is pasted without the mark. start
// is -1 if there is no recovery text. session is empty without a mark. after is the rest of s behind the end mark. Without an
// end mark after is empty: the words behind the start may be a tool's output.
func nextRecovery(s string) (start int, session, after string) {
	start = headOf(s)
	i := lineOf(s, ownBegin)
	if i < 0 || start >= 0 && start < i {
		return start, "", ""
	}
	line, body, _ := strings.Cut(s[i+len(ownBegin):], "\n")
	mark, ok := strings.CutSuffix(strings.TrimRight(line, "\r "), markEnd)
	digest := strings.LastIndex(mark, ownMark)
	if !ok || digest < 0 {
		return start, "", ""
	}
	_, after, _ = strings.Cut(body, ownEnd+mark[digest:]+markEnd)
	return i, mark[:digest], after
}

// headOf returns the offset of the heading of a recovery text, -1 for none. The line below it explains how to show an event.
func headOf(s string) int {
	for from := 0; ; {
		i := lineOf(s[from:], "# Journal: ")
		if i < 0 {
			return -1
		}
		i += from
		_, below, _ := strings.Cut(s[i:], "\n")
		if line, _, _ := strings.Cut(below, "\n"); strings.Contains(line, " show N`") {
			return i
		}
		from = i + 1
	}
}

// lineOf returns the offset of the first line that begins with begin, -1 for none.
func lineOf(s, begin string) int {
	if strings.HasPrefix(s, begin) {
		return 0
	}
	if i := strings.Index(s, "\n"+begin); i >= 0 {
		return i + 1
	}
	return -1
}
