package redact_test

import (
	"strings"
	"unicode"
)

// generated are the ways that password managers, services and people make secrets. None has a space in it.
var generated = []struct {
	name string
	make func(seeds) string
}{
	{"letters and digits", func(g seeds) string { return g.sure(mixedSet, 12+g.IntN(13)) }},
	{"eight signs", func(g seeds) string { return g.sure(mixedSet+"!@#$%^&*", 12+g.IntN(9)) }},
	{"plain punctuation", func(g seeds) string { return g.sure(mixedSet+"!#$%&()*+,-./:;<=>?@[]^_{|}~", 14+g.IntN(9)) }},
	{"all punctuation", func(g seeds) string { return g.sure(mixedSet+"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 14+g.IntN(9)) }},
	{"CamelWords", func(g seeds) string { return g.words("", true) }},
	{"words-dash", func(g seeds) string { return g.words("-", false) }},
	{"words_line", func(g seeds) string { return g.words("_", false) }},
	{"wordsjoined", func(g seeds) string { return g.words("", false) }},
	{"hex", func(g seeds) string { return g.sure(digits+"abcdef", []int{32, 40, 64}[g.IntN(3)]) }},
	{"base64", func(g seeds) string { return g.sure(mixedSet+"+/", 4*(6+g.IntN(6))-1) + g.of("=", "A") }},
	{"one sign inside", func(g seeds) string {
		n := 4 + g.IntN(7)
		return g.sure(mixedSet, n) + g.of(".", "-", "_") + g.sure(mixedSet, 14-n)
	}},
}

// sure returns n characters of a set, at least one digit and one letter among them.
func (g seeds) sure(set string, n int) string {
	for {
		if s := g.letters(set, n); strings.ContainsAny(s, digits) && strings.ContainsFunc(s, unicode.IsLetter) {
			return s
		}
	}
}

func (g seeds) words(by string, capitals bool) string {
	list := make([]string, 3)
	for i := range list {
		list[i] = g.of("sunny", "horse", "battery", "staple", "correct", "house", "lantern", "meadow", "pirate", "walrus", "cactus", "button", "silver",
			"marble", "engine", "ladder", "monkey", "anchor", "pickle", "rocket", "saddle", "turtle", "wizard", "yellow", "zipper", "blanket", "chimney", "dolphin")
		if capitals {
			list[i] = strings.ToUpper(list[i][:1]) + list[i][1:]
		}
	}
	return strings.Join(list, by)
}

// telling returns the words of a name that promises a secret.
func (g seeds) telling() []string {
	var name []string
	if g.IntN(4) != 0 {
		name = append(name, g.of("db", "svc", "app", "smtp", "redis", "postgres", "admin", "root", "mysql", "mail", "github", "stripe", "ldap", "backup",
			"registry", "billing", "grafana", "jenkins", "rabbitmq", "kafka", "sentry", "internal", "prod", "test"))
	}
	return append(name, strings.Fields(g.of("password", "password", "password", "passwd", "pwd", "pass", "passphrase", "secret", "client secret", "secret key",
		"api key", "api token", "access token", "auth token", "access key", "encryption key", "signing key", "app secret", "webhook secret", "jwt secret",
		"user password", "password", "refresh token", "master key"))...)
}

// styled writes words as a name: S for SNAKE_CASE in capitals, s for snake_case, c for camelCase, k for kebab-case, d for words
// with dots between, H for a header's name, T for a title with spaces.
func styled(words []string, style byte) string {
	title := func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if style == 'H' || style == 'T' || style == 'c' && i > 0 {
			out[i] = title(w)
		}
	}
	switch style {
	case 'S':
		return strings.ToUpper(strings.Join(out, "_"))
	case 's':
		return strings.Join(out, "_")
	case 'k', 'H':
		return strings.Join(out, "-")
	case 'd':
		return strings.Join(out, ".")
	case 'T':
		return strings.Join(out, " ")
	}
	return strings.Join(out, "")
}

// written returns a value as it is spelled between quotes, and whether it can be there.
func written(v, how string) (string, bool) {
	switch how {
	case "double": // JSON, TOML, a shell, HCL, YAML
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v), true
	case "single": // a shell
		return strings.ReplaceAll(v, "'", `'\''`), true
	case "yaml":
		return strings.ReplaceAll(v, "'", "''"), true
	case "xml":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(v), true
	case "cell": // no sign that ends a cell, and none that a table's writer quotes
		return v, !strings.ContainsAny(v, "|`,\"'<>\\;")
	case "word": // of a command: no sign of the shell
		return v, !strings.ContainsAny(v, "!#$&()*;<>?[]`{|}~\"'\\^%")
	case "plain": // of YAML: no sign that begins something else
		return v, !strings.ContainsAny(v[:1], "!&*%@`#{}[]>|,?-\"':") && !strings.HasSuffix(v, ":")
	case "prose": // what a sentence may hold without quotes
		return v, !strings.ContainsAny(v, "\"'`<>()[]{}\\|,;") && !strings.ContainsAny(v[len(v)-1:], ".:?!")
	}
	return v, true // a line of .env, of a properties file, of output: as it is
}
