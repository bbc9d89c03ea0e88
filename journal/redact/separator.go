package redact

import "strings"

// separator returns where the value begins that belongs to the name that ends at i.
func (a assignment) separator(s string, i int, n name) (value int, ok bool) {
	if t := annotated(s[i:]); t > 0 {
		return i + t, true
	}
	i += leading(clip(s[i:], 8), closing)
	if strings.HasPrefix(s[i:], "[]") {
		i += len("[]") // an array of C
	}
	if strings.HasPrefix(s[i:], "\x1b[") {
		i += 1 + indexOr(clip(s[i:], 8), "m") // the end of a colour
		i = min(i, len(s))
	}
	b := blanks(s[i:])
	if below := leading(clip(s[i:], longestBlank), " \t\r\n"); below > b && s[i-1] == '"' && strings.HasPrefix(s[i+below:], ":") {
		b = below // a torn member
	}
	i += b
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "::"):
		return 0, false
	case n.tag && strings.HasPrefix(rest, ">"):
		return i + 1, true
	case n.flag && strings.HasPrefix(rest, ","):
		// ["--password", "…"]
	case n.flag && b > 0 && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, ":"):
		return i, true
	}
	w := 0
	for _, sep := range [...]string{"==>", "===", "==", "=>", ":=", "?=", "=", ":", "：", "＝", "%3D", "%3d"} {
		if strings.HasPrefix(rest, sep) {
			w = len(sep)
			break
		}
	}
	if w == 0 && (n.flag || n.call) && strings.HasPrefix(rest, ",") || w == 0 && n.cell && strings.HasPrefix(rest, "|") {
		w = 1
	} else if w == 0 && n.cell && strings.HasPrefix(rest, "│") {
		w = len("│")
	}
	if w == 0 && a.particles {
		for _, p := range [...]string{"는", "은", "は", "是", "为", "為"} {
			if strings.HasPrefix(rest, p) {
				w = len(p)
				break
			}
		}
	}
	if w == 0 {
		return 0, false
	}
	i += w
	if strings.HasPrefix(s[i:], "**") {
		i += len("**")
	}
	return i + blanks(s[i:]), true
}

// stringTypes are the types that stand between a name and its value in Go, Python, Rust, Swift and the like.
var stringTypes = [...]string{"string", "String", "str", "&str", "&'static str", "SecretStr", "[]byte", "std::string"}

// annotated returns the width of a type and the equals sign after it, with the blanks around them: ": str = ".
func annotated(s string) int {
	i := blanks(s)
	if strings.HasPrefix(s[i:], ":") {
		i++
		i += blanks(s[i:])
	}
	for _, t := range stringTypes {
		if !strings.HasPrefix(s[i:], t) {
			continue
		}
		j := i + len(t)
		j += blanks(s[j:])
		if strings.HasPrefix(s[j:], "=") && i > 0 {
			j++
			return j + blanks(s[j:])
		}
	}
	return 0
}

// called reports whether what stands before a name shows that it is the first argument of a call, alone or in a selector:
// define("API_TOKEN", fill('input[name="password"].
func called(before string) bool {
	i := strings.LastIndexByte(before, '(')
	for i >= 0 && i+1 < len(before) && before[i+1] == ' ' {
		i++ // define( 'API_TOKEN'
	}
	if i < 0 || i+1 == len(before) || strings.IndexByte("\"'`\\", before[i+1]) < 0 {
		return false
	}
	return strings.Trim(before[i+1:], `abcdefghijklmnopqrstuvwxyz#.[]="'-_@/*\`+"`") == ""
}

// constructors stand before a quoted literal without changing what it says.
var constructors = [...]string{"!!str ", "[]byte(", "String::from(", "SecretStr(", "b", "r", "f", "u", "@", "L"}

// constructor returns the width of a constructor at the start of s that a quote follows.
func constructor(s string) int {
	for _, c := range constructors {
		if strings.HasPrefix(s, c) && len(s) > len(c) && (s[len(c)] == '"' || s[len(c)] == '\'') {
			return len(c)
		}
	}
	return 0
}
