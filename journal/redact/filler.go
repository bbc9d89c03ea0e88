package redact

import "strings"

// fillerParts are what an example or a masked secret contains, in lower case.
var fillerParts = []string{
	"xxxxx", "*****", "...", "…", "•••", "changeme", "change-me", "change_me", "example", "placeholder", "replaceme",
	"replace-", "replace_", "redacted", "dummy", "your-", "your_", "<your", "yourtoken", "yourpass", "yoursecret", "yourapi",
	"yourkey", "insert-", "insert_", "{{", "}}", "${", "<%", "#{",
}

// mask holds the bytes that people repeat in place of a secret.
const mask = "xX*.-_#? "

// filler reports whether v stands where a secret is expected but is not one: a variable, a template, a mask, an
// example.
func filler(v string) bool {
	if v == "" || strings.Trim(v, mask) == "" {
		return true
	}
	switch v[0] {
	case '<', '[', '{':
		return true
	case '(':
		return v[len(v)-1] == ')'
	case '$':
		if variable(v[1:]) {
			return true
		}
	case '%':
		if formatted(v[1:]) {
			return true
		}
	}
	return foldContains(v, fillerParts)
}

// variable reports whether v, which a dollar sign precedes, is a shell's or a template's variable. "$ecret99" is not
// one: names are in capitals, or have no digits.
func variable(v string) bool {
	if v == "" || v[0] == '{' || v[0] == '(' || digit.has(v[0]) && len(v) == 1 {
		return true
	}
	n := word.run(v)
	name := v[:n]
	return n > 0 && !digit.has(name[0]) && (lower.in(name) == 0 || digit.in(name) == 0 && n == len(v) || named(name))
}

// formatted reports whether v, which a percent sign precedes, is a verb of a format or a variable between percent signs. An
// escaped byte such as %40 is neither.
func formatted(v string) bool {
	if name, ok := strings.CutSuffix(v, "%"); ok && word.only(name) {
		return true
	}
	if v == "" || hex.run(clip(v, 2)) == 2 {
		return false
	}
	return strings.IndexByte("svqdw[({", v[0]) >= 0 && (len(v) == 1 || !alnum.has(v[1]) || v[0] == '[')
}
