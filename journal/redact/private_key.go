package redact

import "strings"

// This file finds the lines of a private key: complete or cut off, with line numbers, with escaped line breaks.

// fence is at both ends of the first and the last line of a key.
const fence = "-----"

// labelLen returns the width of the label of a private key at the start of s, with the fence behind it, or 0.
func labelLen(s string) int {
	label, _, ok := strings.Cut(clip(s, 64), fence)
	if !ok || !contains(label, "PRIVATE KEY", "SEED", "Static key") {
		return 0
	}
	return len(label) + len(fence)
}

// armoured finds a block from "-----BEGIN … PRIVATE KEY-----" to its last line, or to the last line of the key if the end is
// missing. A first line without a key below it, as in code that looks for one, does not count.
func armoured(s string, at, end int) (int, int) {
	body := end + labelLen(s[end:])
	lines := keyLines(s[body:], s[lineBegin(s, at):at])
	next := strings.Index(s[body:], fence)
	ends := next >= 0 && strings.HasPrefix(s[body+next:], fence+"END ")
	switch {
	case body == end, lines == 0 && !(ends && hasKeyRuns(s[body:body+next])):
		return -1, -1
	case !ends:
		return at, body + lines
	}
	to := body + next + len(fence+"END ")
	if i := strings.Index(clip(s[to:], 64), fence); i >= 0 {
		to += i + len(fence)
	}
	return at, to
}

// hasKeyRuns reports whether a quarter of the text between the first and the last line of a key are runs of base64 that are as long as
// lines of keys, whatever stands between the runs: blanks, prefixes, tags.
func hasKeyRuns(s string) bool {
	const least = 40
	all := 0
	for run := range base64.runs(s) {
		if len(run) >= least && digit.in(run) > 0 {
			all += len(run)
		}
	}
	return all*4 > len(s)
}

// armourEnd finds the lines of a key before "-----END … PRIVATE KEY-----" if the first line of the key is missing.
func armourEnd(s string, at, end int) []span {
	if labelLen(s[end:]) == 0 {
		return nil
	}
	const most = 8 << 10
	begin := max(0, at-most)
	near := s[begin:at]
	var few [64]bounds
	lines, ok := wholeLines(few[:0], near)
	prefix := s[lineBegin(s, at):at]
	if last := len(lines) - 1; !ok && last >= 0 {
		line := near[lines[last].from:lines[last].to]
		width := likePrefix(line, prefix)
		ok = width > 0 && base64.only(line[width:]) // the line above has the prefix of the last line
	}
	from, to := len(near), 0
	for i := len(lines) - 1; i >= 0; i-- {
		line := near[lines[i].from:lines[i].to]
		core := lineCore(line[likePrefix(line, prefix):])
		if core == "" && from < len(near) {
			break // a key has no empty lines
		}
		to = max(to, lines[i].from+len(strings.TrimRight(line, "\r")))
		if !base64.only(core) {
			// The line has lost its beginning, such as to a mark of a part that was left out.
			if torn := base64.tail(line); keyish(torn) {
				from = lines[i].to - len(torn)
			}
			break
		}
		from = lines[i].from
	}
	from += leading(near[from:], " \t\r\n")
	if !ok || from >= to || strings.HasSuffix(near[:from], fence) {
		return nil
	}
	return []span{{from: begin + from, to: begin + to}}
}

// wholeLines appends the complete lines of s. ok is false if an incomplete line follows that is more than a prefix of a tool: a number,
// or a sign of a diff.
func wholeLines(lines []bounds, s string) (all []bounds, ok bool) {
	for i := 0; i < len(s); {
		line, brk := cutLine(s[i:])
		if brk == 0 {
			return lines, strings.Trim(line, " \t0123456789+-|:>\"'\u2192") == ""
		}
		lines = append(lines, bounds{i, i + len(line)})
		i += len(line) + brk
	}
	return lines, true
}

// keyish reports whether base64 at the beginning or the end of a line may be a part of a key, and is no word.
func keyish(v string) bool {
	return len(v) >= leastRandom || len(v) > 3 && digit.in(v)+upper.in(v[1:]) > 0
}

// keyLines returns the number of bytes at the start of s that are lines of a key, 0 if no key begins there. The lines may have
// numbers, quotes or the signs of a diff, the prefix of the line above them, and escaped line breaks. A line that is shorter than an
// earlier line is the last.
func keyLines(s, prefix string) int {
	const least = 16 // bytes of base64 in the first line
	width, at, longest := 0, 0, 0
	for at < len(s) {
		line, brk := cutLine(s[at:])
		core := lineCore(line[likePrefix(line, prefix):])
		switch {
		case core == "", longest == 0 && (digit.only(core) || isArmourHeader(core)): // a line between or before those of the key
		case base64.only(core) && (longest > 0 || len(core) >= least):
			width = at + len(line)
			if len(core) < longest {
				return width
			}
			longest = max(longest, len(core))
		default:
			if n := base64.run(core); longest > 0 && keyish(core[:n]) {
				return at + strings.Index(line, core) + n // the line has lost its end
			}
			return width
		}
		at += len(line) + brk
	}
	return width
}

// lineCore returns a line without a line number, the sign of a diff, quotes and plus signs around it.
func lineCore(line string) string {
	const around = " \t\r\"',+->|:\u2192\\"
	if bare := strings.TrimSpace(line); base64.only(bare) {
		return bare // base64 may begin with a plus sign
	}
	core := strings.Trim(line, around)
	if n := digit.run(core); n > 0 && n < len(core) && !base64.has(core[n]) {
		core = strings.TrimLeft(core[n:], around)
	}
	return core
}

// cutLine returns the first line of s and the width of its line break, which may be escaped, 0 if it has none.
func cutLine(s string) (line string, brk int) {
	for i := range len(s) {
		switch s[i] {
		case '\n':
			return s[:i], 1
		case '\\':
			n := leading(s[i:], `\`)
			if i+n < len(s) && (s[i+n] == 'n' || s[i+n] == 'r') {
				return s[:i], n + 1
			}
		}
	}
	return s, 0
}

// isArmourHeader reports whether a line is one of the headers that stand before a key: Proc-Type: 4,ENCRYPTED.
func isArmourHeader(line string) bool { return strings.HasPrefix(line[word.run(line):], ": ") }
