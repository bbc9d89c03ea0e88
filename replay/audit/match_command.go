package audit

import "strings"

// command matches a command as it was run, spaces apart.
func (m *matcher) command(command string) *Match {
	what := strings.TrimPrefix(strings.TrimSpace(strings.ReplaceAll(plainOf(command).text, "\n", " ")), "./")
	words := strings.Fields(what)
	for from, to := range m.summary.plain.find(what) {
		if m.commandBorder(from, to, len(words) == 1) {
			p := m.summary.plain
			return m.summary.match("command", p.from[from], p.to[to-1], 1)
		}
	}
	return nil
}

// commandBorder says whether a command ends where it seems to: `npm test` is not
// `npm test -- search`. One word is a command only between marks of code.
func (m *matcher) commandBorder(from, to int, word bool) bool {
	p := m.summary.plain
	before, after := p.byteAt(from-1), p.byteAt(to)
	if word {
		return before == '`' && after == '`' || before == '"' && after == '"'
	}
	if isNameByte(before) || before == '/' && p.byteAt(from-2) != '.' || isNameByte(after) || after == '/' || after == '=' {
		return false
	}
	if after == '.' || after == ':' {
		return !isNameByte(p.byteAt(to + 1))
	}
	if after != ' ' {
		return true
	}
	if next := p.byteAt(to + 1); next == '-' && p.byteAt(to+2) != ' ' || next == '.' || next == '/' || next == '|' || next == '&' || next == '>' {
		return false
	}
	word2, _, _ := strings.Cut(p.text[to+1:], " ")
	word2, _, _ = strings.Cut(word2, "\n")
	return !strings.ContainsAny(strings.TrimRight(word2, ".,;:`\"')"), "/=._*$0123456789")
}
