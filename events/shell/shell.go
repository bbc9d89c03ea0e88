// Package shell reads shell commands as far as that can be done without a shell.
package shell

import (
	"regexp"
	"strings"
	"sync"
)

// Commands splits a shell command into its simple commands, and those into words with
// quotes taken off. An operator of redirection is a word of its own; bodies of
// here-documents are left out. Nothing is expanded.
func Commands(command string) (all [][]string) {
	var words []string
	var word strings.Builder
	began, quote, escaped := false, rune(0), false
	endWord := func() {
		if began {
			words = append(words, word.String())
		}
		word.Reset()
		began = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	for _, r := range withoutDocuments(command) {
		switch {
		case escaped:
			word.WriteRune(r)
			began, escaped = true, false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, began = r, true
		case r == ' ' || r == '\t':
			endWord()
		case r == '>':
			if s := word.String(); strings.Trim(s, "0123456789&>") != "" {
				endWord()
			}
			word.WriteRune(r)
			began = true
		case strings.ContainsRune(";&|\n(){}", r) && !strings.HasSuffix(word.String(), "$") && !strings.Contains(word.String(), "${"):
			if r == '&' || r == '|' {
				if s := word.String(); strings.HasSuffix(s, ">") { // >& and >|
					word.WriteRune(r)
					continue
				}
			}
			endCommand()
		default:
			if s := word.String(); strings.HasSuffix(s, ">") && strings.Trim(s, "0123456789&>|") == "" {
				endWord()
			}
			word.WriteRune(r)
			began = true
		}
	}
	endCommand()
	return all
}

// hereDocument begins a here-document; the word ends it on a line of its own. It is
// compiled when it is needed: a hook has no time for more.
var hereDocument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^<])<<-?\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z0-9_.]+))`)
})

// withoutDocuments takes the bodies of here-documents out of a command.
func withoutDocuments(command string) string {
	if !strings.Contains(command, "<<") {
		return command
	}
	var out []string
	var ends []string
	for line := range strings.Lines(command) {
		if len(ends) > 0 {
			if strings.TrimLeft(strings.TrimRight(line, "\r\n"), "\t") == ends[0] {
				ends = ends[1:]
			}
			continue
		}
		for _, m := range hereDocument().FindAllStringSubmatch(line, -1) {
			ends = append(ends, m[1]+m[2]+m[3])
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

// Plain gives the words of a simple command without redirections and without the
// variables that are set before its program.
func Plain(words []string) (plain []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case strings.TrimLeft(w, "0123456789&<>|") == "" && strings.ContainsAny(w, "<>"):
			if !strings.HasSuffix(strings.TrimRight(w, "0123456789"), "&") {
				i++ // its file
			}
		case strings.HasPrefix(strings.TrimLeft(w, "0123456789&"), ">"), strings.HasPrefix(w, "<"):
		case len(plain) == 0 && variable().MatchString(w):
		default:
			plain = append(plain, w)
		}
	}
	return plain
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })
