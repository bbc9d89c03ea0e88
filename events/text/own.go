package text

import "strings"

// The marks around a text of ours that is printed to be handed on, so that it is known when it comes back as a prompt.
// Between them stands the session that it is of.
const (
	ownBegin = "<!-- journal recover --session "
	ownEnd   = "<!-- end of journal recover -->"
	markEnd  = " -->"
)

// Marked puts a recovery text of a session between the marks by which Own knows it.
func Marked(session, s string) string {
	if session == "" || strings.ContainsAny(session, "\n<>") || s == "" {
		return s
	}
	return ownBegin + session + markEnd + "\n" + s + "\n" + ownEnd
}

// MarkUnits bounds what the marks take beside a text, in UTF-16 units, with the id of a session of usual length.
const MarkUnits = 150

// Own takes the recovery texts of ours out of a prompt. It gives the words of the person around them, and the sessions that
// they are of, as far as they say so. found is false for a prompt without any: words is the prompt then.
func Own(prompt string) (words string, sessions []string, found bool) {
	var b strings.Builder
	rest := prompt
	for {
		at, session, body := beginning(rest)
		if at < 0 {
			break
		}
		found = true
		b.WriteString(rest[:at])
		if session != "" {
			sessions = append(sessions, session)
		}
		_, rest, _ = strings.Cut(body, ownEnd)
	}
	if !found {
		return prompt, nil, false
	}
	b.WriteString(rest)
	return strings.TrimSpace(b.String()), sessions, true
}

// Linked gives a prompt with the recovery texts of ours in it as what they are: links to the sessions that they are of. They
// stand before the words of the person.
func Linked(prompt string) string {
	words, sessions, found := Own(prompt)
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

// beginning finds the first text of ours: by its mark, or, where it was printed before there were marks, by its first two
// lines. Without a mark nothing says where it ends.
func beginning(s string) (at int, session, body string) {
	at = -1
	if i := lineOf(s, ownBegin); i >= 0 {
		line, after, _ := strings.Cut(s[i+len(ownBegin):], "\n")
		if name, ok := strings.CutSuffix(strings.TrimRight(line, "\r "), markEnd); ok {
			at, session, body = i, name, after
		}
	}
	if i := headOf(s); i >= 0 && (at < 0 || i < at) {
		at, session, body = i, "", s[i:]
	}
	return at, session, body
}

// headOf finds the heading of a recovery text: the line below it says how an event is shown.
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

// lineOf finds the first line that begins so.
func lineOf(s, begin string) int {
	if strings.HasPrefix(s, begin) {
		return 0
	}
	if i := strings.Index(s, "\n"+begin); i >= 0 {
		return i + 1
	}
	return -1
}
