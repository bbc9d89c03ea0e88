package redact

import "strings"

// This file finds the value that a command, a console or a debugger prints below a line with its name.

// belowCommand finds the value on the line below a command that prints it: echo $DB_PASSWORD, cat password.txt, or the variable alone in
// a console or a debugger. s[start:stop] is the name in the command. A user may stand before the value, on its line or on the line above it.
func belowCommand(s string, start, stop int) (from, to int) {
	begin, end := lineBegin(s, start), lineEnd(s, stop)
	if end == len(s) || !prints(s[begin:end]) || senseOf(s[start:stop]).rule == nil {
		return -1, -1
	}
	if nameEnds := strings.HasPrefix(s[stop:], ".txt") || strings.IndexByte(" \"'`}%)\n\r", s[stop]) >= 0; !nameEnds {
		return -1, -1
	}
	from = end + prefixOf(s[end:], "\r\n", "\n", "\r")
	from += blanks(s[from:])
	to = lineEnd(s, from)
	if f, t := literalAt(s, from); f >= 0 && t+1 == to {
		from, to = f, t
	}
	v := clip(s[from:to], judged)
	if next := to + prefixOf(s[to:], "\r\n", "\n"); v != "" && word.only(v) && !unmistakablePassword(v) && next > to {
		if nextEnd := lineEnd(s, next); unmistakablePassword(clip(s[next:nextEnd], judged)) {
			return next, nextEnd // v is the user
		}
	}
	if passwordAt := strings.LastIndexAny(v, " :") + 1; passwordAt > 0 && wordCount(v) < 3 && strings.Contains(v[:passwordAt], "@") && unmistakablePassword(v[passwordAt:]) {
		return from + passwordAt, to
	}
	return placeIf(isPrintedSecret(v), from, to)
}

// isPrintedSecret reports whether a line below a command that prints a secret is the secret, and neither words, nor data, nor an assignment.
func isPrintedSecret(v string) bool {
	if wordCount(v) >= 2 || strings.ContainsAny(clip(v, 1), "{[<\"'`") {
		return false
	}
	const longKey, keyDigits = 40, 4  // from so many bytes, a word with so many digits is a key, also with an equals sign or a colon in it
	bare := strings.TrimRight(v, "=") // base64 ends with equals signs
	sign := indexOr(bare, "=:")
	if assigns := sign < len(bare) && word.only(bare[:sign]); assigns && len(v) < longKey {
		return false
	}
	return sense{namedPassword, byName}.isSecretAnywhere(v) || isChosenWord(v) || len(v) >= longKey && digit.in(v) >= keyDigits
}

// prints reports whether a line makes a program print a variable, a file or a secret: it is a command that prints, or a variable behind
// the prompt of a console or a debugger.
func prints(line string) bool {
	prompt, console := promptOf(line)
	if prompt == 0 && !lower.has(line[0]) && strings.IndexByte(" $#%>", line[0]) < 0 {
		return false // neither a command nor a prompt begins so
	}
	command := line[prompt:]
	if console {
		command = command[prefixOf(command, "p ", "pp ", "print ", "!"):]
	}
	command = strings.TrimPrefix(strings.TrimLeft(command, " $#%>"), "sudo ")
	for _, run := range []string{command, line} { // what seems to be a prompt may be a command
		program, _, _ := strings.Cut(run, " ")
		if inList("printing", program[strings.LastIndexByte(program, '/')+1:]) {
			return true
		}
	}
	behind, _ := expression(command)
	return behind == "" && (console || line[0] == '>')
}

// promptOf returns the length of the prompt with which a line begins, 0 without one. A sign alone is none. console is true for the prompt of
// a debugger or of IPython: such a program prints a variable that stands alone.
func promptOf(line string) (length int, console bool) {
	if len(line) > 2 && upper.has(line[0]) && line[1:3] == `:\` { // cmd.exe
		return max(len(`C:\`), strings.IndexByte(line, '>')+1), false
	}
	const longestPrompt = 100 // bytes
	line = clip(line, longestPrompt)
	if n := prefixOf(line, "(Pdb) ", "(ipdb) ", "(dlv) ", "ipdb> "); n > 0 {
		return n, true
	}
	if end := strings.Index(line, "]: "); end > 0 && strings.HasPrefix(line, "In [") {
		return end + len("]: "), true
	}
	for i := 1; i+1 < len(line); i++ {
		if line[i+1] != ' ' || strings.IndexByte("$#%>", line[i]) < 0 {
			continue
		}
		first, _, several := strings.Cut(line[:i], " ")
		if !several || strings.Contains(first, "@") || prefixOf(line, "[", "(", "PS ") > 0 {
			return i + 2, false
		}
		break
	}
	return 0, false
}
