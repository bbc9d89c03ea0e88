package install

import "strings"

// shellSafe are the bytes that mean themselves to every shell, anywhere in a
// word. "=" is not among them: at the start it would make an assignment.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// Quote returns s as one word of a shell command, in which nothing is expanded.
func Quote(s string) string {
	if s != "" && strings.Trim(s, shellSafe) == "" {
		return s
	}
	return inQuotes(s)
}

func inQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord reads one word of a shell command from rs[i:], without expanding
// anything. It returns the word, without its quotes, and the index after it.
// ok is false when no word begins there: at the end, at an operator, or when
// a quote is not closed.
func shellWord(rs []rune, i int) (word string, next int, ok bool) {
	for i < len(rs) && (rs[i] == ' ' || rs[i] == '\t') {
		i++
	}
	start := i
	var b strings.Builder
	for i < len(rs) {
		switch c := rs[i]; {
		case strings.ContainsRune(" \t\n;&|<>()`", c) || (c == '#' && i == start):
			return b.String(), i, i > start
		case c == '\'' || c == '"':
			if i, ok = quoted(&b, rs, i+1, c); !ok {
				return "", i, false
			}
		case c == '\\' && i+1 < len(rs):
			b.WriteRune(rs[i+1])
			i += 2
		default:
			b.WriteRune(c)
			i++
		}
	}
	return b.String(), i, i > start
}

// quoted copies to b what stands from rs[i] to the closing quote and returns
// the index after that.
func quoted(b *strings.Builder, rs []rune, i int, quote rune) (int, bool) {
	for ; i < len(rs); i++ {
		switch {
		case rs[i] == quote:
			return i + 1, true
		case quote == '"' && rs[i] == '\\' && i+1 < len(rs) && strings.ContainsRune("$`\"\\\n", rs[i+1]):
			i++
		}
		b.WriteRune(rs[i])
	}
	return i, false
}

// shellWords splits a command into words. ok is false when it is more than
// one simple command.
func shellWords(command string) (words []string, ok bool) {
	rs := []rune(strings.TrimRight(command, " \t\n"))
	for i := 0; i < len(rs); {
		w, next, ok := shellWord(rs, i)
		if !ok {
			return nil, false
		}
		words, i = append(words, w), next
	}
	return words, true
}
