package redact

import (
	"strings"
	"unicode/utf8"
)

// This file finds the separator that joins a name to the value behind it.

// closing are bytes that may stand between a name and its separator: config["password"] =, **Password**:, \"password\":.
const closing = `\"'` + "`]*"

// valueStart returns the index at which the value of a name begins. ok is false if no separator follows the name.
func valueStart(s string, n name) (value int, ok bool) {
	i := n.stop
	if near := clip(s[i:], 2*longestBlank); strings.IndexByte(clip(near, longestTail), '=') > 0 {
		if t := annotation().FindString(near); t != "" {
			return i + len(t), true
		}
	}
	i += leading(clip(s[i:], 8), closing)
	if strings.HasPrefix(s[i:], "} =") {
		i++ // $Self->{password} = …
	}
	if strings.HasPrefix(s[i:], "[]") {
		i += len("[]") // an array of C
	}
	b := blanks(s[i:])
	if below := leading(clip(s[i:], longestBlank), " \t\r\n"); below > b && s[i-1] == '"' && strings.HasPrefix(s[i+below:], ":") {
		b = below // a member whose colon is on the next line
	}
	i += b
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "::"):
		return 0, false
	case n.tag && rest != "":
		end := indexOr(clip(rest, longestName), "<>/\n") // of the attributes
		return i + end + 1, end < len(rest) && rest[end] == '>'
	case b > 0 && rest != "" && (rest[0] == '"' || rest[0] == '\'') && (n.start == 0 || s[n.start-1] == ':' || isDirective(s[lineBegin(s, n.start):n.start])):
		return i, true // :password "…", or password "…" at the beginning of a line
	case n.flag && strings.HasPrefix(rest, ":") && strings.HasPrefix(s[n.start:], "--"):
		return 0, false // a property of CSS
	case n.flag && (b > 0 || strings.HasPrefix(rest, "\n")) && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, ":"):
		return i, true // --password …
	}
	w := n.separatorWidth(rest)
	if w == 0 {
		return 0, false
	}
	i += w + prefixOf(rest[w:], "**")
	i += blanks(s[i:])
	return i + notYetValue(s[i:]), true
}

// notYetValue returns the width of what stands before a value that s may begin with: the earlier value of a change, as in null -> "…",
// or a word in the message of a test, as in got "…".
func notYetValue(s string) int {
	if s == "" || strings.IndexByte(`n"\gwe`, s[0]) < 0 {
		return 0
	}
	if width := prefixOf(s, "got ", "want ", "expected "); width > 0 && strings.HasPrefix(s[width:], `"`) {
		return width
	}
	return prefixOf(s, "null -> ", `"" -> `, `\"\" -> `)
}

// separatorWidth returns the width of the separator at the start of s that joins the name to its value, or 0.
func (n name) separatorWidth(s string) int {
	switch {
	case s == "":
		return 0
	case strings.IndexByte("=:?%!", s[0]) >= 0:
		return prefixOf(s, "==>", "!==", "!=", "===", "==", "=>", ":=", "?=", "=", ":", "%3D", "%3d")
	case n.particle && s[0] >= utf8.RuneSelf:
		return prefixOf(s, "：", "＝", "는", "은", "は", "是", "为", "為")
	case (n.flag || n.call) && s[0] == ',', n.cell && s[0] == '|':
		return 1
	}
	return prefixOf(s, "：", "＝")
}

// isDirective reports whether the name behind head, the beginning of its line, is the name of a setting: the first word of the line,
// or the second behind a word that assigns.
func isDirective(head string) bool {
	head = strings.TrimSuffix(strings.TrimSpace(head), " $")
	return head == "" || head == "option" || inList("assigning", head)
}

// annotation matches a type between a name and its value, in Go, Python, Rust, Swift and the like: ": str = ".
var annotation = lazily(`^(?:[ \t]+:?|:)[ \t]*(?:constant +)?(?:string|String|str|&str|&'static str|SecretStr|\[\]byte|std::string)[ \t]*:?=[ \t]*|^: \(string\) \(len=\d+\) `)

// isCallArgument reports whether the name behind before is in the first argument of a call, alone or in a selector:
// define("API_TOKEN", fill('input[name="password"].
func isCallArgument(before string) bool {
	i := strings.LastIndexByte(before, '(')
	first := strings.TrimLeft(before[i+1:], " ") // define( 'API_TOKEN'
	return i >= 0 && prefixOf(first, `"`, "'", "`", `\`) > 0 && strings.Trim(first, `abcdefghijklmnopqrstuvwxyz#.[]="'-_@/*\`+"`") == ""
}

// constructors are prefixes of a quoted literal that do not change its value.
var constructors = [...]string{"!!str ", "[]byte(", "String::from(", "SecretStr(", "Secret(", "Password(", "Sensitive(", "pulumi.String(", "aws.String(", "Some(", "bytes(", "Buffer.from(", "SecureString(", "b", "r", "f", "u", "@", "L", "N", "E", "B", "R", "F", "U", "rb", "br"}

// constructor returns the width of an anchor of YAML at the start of s, or of a constructor or a tag of YAML before a quote, or 0.
func constructor(s string) int {
	if s == "" || s[0] >= 0x80 {
		return 0
	}
	if s[0] == '&' {
		if n := word.run(clip(s[1:], longestName)); n > 0 && strings.HasPrefix(s[1+n:], " ") {
			return len("& ") + n // an anchor of YAML
		}
	}
	if n := 1 + (lower | hyphen).run(s[1:]); n > 1 && s[0] == '!' && prefixOf(s[n:], ` "`, " '") > 0 {
		return n + 1 // a tag of YAML
	}
	for _, c := range constructors {
		if strings.HasPrefix(s, c) && len(s) > len(c) && (s[len(c)] == '"' || s[len(c)] == '\'') {
			return len(c)
		}
	}
	return 0
}
