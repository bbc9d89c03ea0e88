package redact

import "strings"

var privateKeys = [...]Rule{
	{
		Name: "private-key", Kind: "private-key", Finds: "a private key or a NATS seed in a PEM or PGP block, whole or cut off, also inside of JSON",
		Keywords: []string{"-----BEGIN "}, find: armoured,
		// The end of a block is looked for this far; a key of 4096 bits takes 3.3 KB, and PGP keys carry more.
		window: 32 << 10,
	},
	{
		Name: "putty-key", Kind: "private-key", Finds: "the private lines of a PuTTY key",
		Keywords: []string{"Private-Lines:"}, find: puttyLines, window: 8 << 10,
	},
	{
		Name: "age-key", Kind: "private-key", Finds: "a secret key of age",
		Keywords: []string{"AGE-SECRET-KEY-1"}, apart: alnum, body: digit | upper, least: 50, check: genuine,
	},
}

var _ = declare(privateKeys[:])

const fence = "-----"

// armoured finds a block between "-----BEGIN … PRIVATE KEY-----" and its end, or as far as its lines go when the end is
// missing. A header without a key after it, as in code that looks for one, does not count.
func armoured(s string, at, end int) (int, int) {
	label, _, ok := strings.Cut(clip(s[end:], 64), fence)
	if !ok || !strings.Contains(label, "PRIVATE KEY") && !strings.Contains(label, "SEED") {
		return -1, -1
	}
	body := end + len(label) + len(fence)
	lines := keyLines(s[body:])
	if lines == 0 {
		return -1, -1
	}
	next := strings.Index(s[body:], fence)
	if next < 0 || !strings.HasPrefix(s[body+next:], fence+"END ") {
		return at, body + lines
	}
	to := body + next + len(fence+"END ")
	if i := strings.Index(clip(s[to:], 64), fence); i >= 0 {
		to += i + len(fence)
	}
	return at, to
}

func puttyLines(s string, _, end int) (int, int) {
	n := keyLines(s[end:])
	if n == 0 {
		return -1, -1
	}
	return end, end + n
}

// keyLines returns how many bytes at the start of s are lines of a key, or 0 when the first is not one. Lines may be numbered,
// quoted or marked as added, and their ends may be escaped. A line that is shorter than the first is the last.
func keyLines(s string) int {
	const least = 16 // bytes of base64 in the first line
	width, at, first := 0, 0, 0
	for at < len(s) {
		line, brk := cutLine(s[at:])
		core := lineCore(line)
		switch {
		case core == "", first == 0 && (digit.only(core) || armourHeader(core)):
		case base64.only(core) && (first > 0 || len(core) >= least):
			width = at + len(line)
			if len(core) < first {
				return width
			}
			first = max(first, len(core))
		default:
			return width
		}
		at += len(line) + brk
	}
	return width
}

// lineCore returns a line without what tools and languages write around it: its number, a mark of a diff, quotes, a plus sign.
func lineCore(line string) string {
	const around = " \t\r\"',+->|:\u2192\\"
	core := strings.Trim(line, around)
	if n := digit.run(core); n > 0 && n < len(core) && !base64.has(core[n]) {
		core = strings.TrimLeft(core[n:], around)
	}
	return core
}

// cutLine returns the line at the start of s and the width of the line break after it, which may be escaped.
func cutLine(s string) (line string, brk int) {
	for i := range len(s) {
		switch s[i] {
		case '\n':
			return s[:i], 1
		case '\\':
			n := 1
			for i+n < len(s) && s[i+n] == '\\' {
				n++
			}
			if i+n < len(s) && (s[i+n] == 'n' || s[i+n] == 'r') {
				return s[:i], n + 1
			}
		}
	}
	return s, 0
}

// armourHeader reports whether a line is one of the headers that stand before a key.
func armourHeader(line string) bool {
	for _, h := range [...]string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"} {
		if strings.HasPrefix(line, h) {
			return true
		}
	}
	return false
}
