package outcome

import (
	"path"
	"slices"
	"strings"
)

// Hides says whether a command's exit code can be 0 though a part of it failed: a
// pipe without pipefail, several commands one after the other, || and a trailing &.
func Hides(command string) bool {
	pipefail := strings.Contains(command, "pipefail")
	stops := strings.Contains(command, "set -e") || strings.Contains(command, "-eo ")
	for _, op := range split(command).operators {
		switch op {
		case "|":
			if !pipefail {
				return true
			}
		case "||", "&":
			return true
		case ";":
			if !stops {
				return true
			}
		}
	}
	return false
}

// wordSet is a set of words, with a space around each: a program that is started for
// every call of a tool builds no maps.
type wordSet string

func (s wordSet) has(w string) bool {
	return w != "" && !strings.Contains(w, " ") && strings.Contains(string(s), " "+w+" ")
}

const (
	// readers are programs that print what files hold, or what was printed before them
	// in a pipe: their output says nothing about how a command went.
	readers wordSet = " cat head tail less more grep egrep fgrep rg ag ack sed awk cut sort uniq wc tr tee" +
		" ls find fd tree echo printf jq yq column nl diff comm xxd od strings file stat du cd pwd test true sleep" +
		" which type read basename dirname date export set for while if then else do done fi mkdir touch" +
		" bat curl wget gh journalctl ps pgrep "
	// wrappers run the program that is named behind them.
	wrappers wordSet = " sudo time nice nohup env command timeout xargs "
	// gitReaders are the commands of git that print what the repository holds.
	gitReaders wordSet = " log show diff grep blame status branch ls-files cat-file rev-parse reflog shortlog describe config remote "
)

// onlyReads says whether every part of a command only prints what is there.
func onlyReads(command string) bool {
	return !slices.ContainsFunc(calls(command), func(words []string) bool { return !reads(words) })
}

// Calls says whether a command does nothing but call one of some programs, wherever
// their files lie, and print: `cd x && bin/journal audit | head` calls journal.
func Calls(command string, programs ...string) bool {
	found := false
	for _, words := range calls(command) {
		if slices.Contains(programs, strings.TrimSuffix(path.Base(words[0]), ".exe")) {
			found = true
		} else if !reads(words) {
			return false
		}
	}
	return found
}

// calls gives the words of each simple command from its program on.
func calls(command string) (all [][]string) {
	for _, words := range split(command).commands {
		wrapped := false
		for len(words) > 0 {
			w := words[0]
			wrapped = wrapped || wrappers.has(w)
			option := strings.HasPrefix(w, "-") || w != "" && '0' <= w[0] && w[0] <= '9' // of the wrapper
			if !wrappers.has(w) && !strings.Contains(w, "=") && w != "do" && w != "then" && w != "!" && !(wrapped && option) {
				break
			}
			words = words[1:]
		}
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// reads says whether a simple command only prints what is there.
func reads(words []string) bool {
	program := path.Base(words[0])
	if program != "git" {
		return readers.has(program)
	}
	words = words[1:]
	for len(words) > 1 && strings.HasPrefix(words[0], "-") { // git -C dir, git --no-pager
		if words[0] == "-C" || words[0] == "-c" {
			words = words[1:]
		}
		words = words[1:]
	}
	return len(words) > 0 && gitReaders.has(words[0])
}

// parts is a shell command taken apart as far as quotes, here-documents and
// operators go; what a substitution runs is not looked into.
type parts struct {
	commands  [][]string // words of each simple command
	operators []string   // between them: | || && & ;
}

// split takes a command apart. The end of a line is a ";".
func split(command string) parts {
	var p parts
	var words []string
	var word strings.Builder
	began := false
	endWord := func() {
		if began {
			words = append(words, word.String())
		}
		word.Reset()
		began = false
	}
	operator := func(op string) {
		endWord()
		if len(words) == 0 { // ";" behind "&", an empty line
			return
		}
		p.commands, p.operators = append(p.commands, words), append(p.operators, op)
		words = nil
	}
	var heredoc string // its end, while the line that opens it is read
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case '\\':
			if i++; i < len(command) && command[i] != '\n' {
				word.WriteByte(command[i])
				began = true
			}
		case '\'', '"', '`':
			end := quoteEnd(command, i)
			word.WriteString(command[i+1 : end])
			i, began = end, true
		case '$':
			word.WriteByte(c)
			began = true
			if i+1 < len(command) && command[i+1] == '(' {
				i = parenEnd(command, i+1)
			}
		case '<':
			if strings.HasPrefix(command[i:], "<<<") { // a string for its input
				word.WriteString("<<<")
				i, began = i+2, true
				break
			}
			if rest, ok := strings.CutPrefix(command[i:], "<<"); ok {
				heredoc = strings.Trim(firstWord(strings.TrimPrefix(rest, "-")), `'"\`)
			}
			word.WriteByte(c)
			began = true
		case ' ', '\t', '(', ')', '{', '}':
			endWord()
		case '#':
			if began {
				word.WriteByte(c)
				break
			}
			for i+1 < len(command) && command[i+1] != '\n' { // a comment
				i++
			}
		case '|', '&', ';':
			switch next := strings.HasPrefix(command[i+1:], string(c)); {
			case c == '&' && (i > 0 && command[i-1] == '>' || strings.HasPrefix(command[i+1:], ">")): // 2>&1, &>
				word.WriteByte(c)
			case next:
				operator(command[i : i+2])
				i++
			default:
				operator(string(c))
			}
		case '\n':
			operator(";")
			if heredoc != "" {
				i = heredocEnd(command, i, heredoc)
				heredoc = ""
			}
		default:
			word.WriteByte(c)
			began = true
		}
	}
	endWord()
	if len(words) > 0 {
		p.commands = append(p.commands, words)
	} else if n := len(p.operators); n > 0 && p.operators[n-1] == ";" { // after the last command
		p.operators = p.operators[:n-1]
	}
	return p
}

// quoteEnd gives where a quotation that begins at i ends.
func quoteEnd(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == '\\' && q != '\'':
			j++
		case s[j] == q:
			return j
		}
	}
	return len(s)
}

// parenEnd gives where a parenthesis that opens at i closes.
func parenEnd(s string, i int) int {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '\'', '"':
			j = quoteEnd(s, j)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(s)
}

// heredocEnd gives the end of the line that ends a here-document, which begins
// after i.
func heredocEnd(s string, i int, end string) int {
	for i < len(s) {
		line, _, more := strings.Cut(s[i+1:], "\n")
		i += 1 + len(line)
		if strings.TrimSpace(line) == end || !more {
			break
		}
	}
	return i
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimLeft(s, " \t"), "\n")
	w, _, _ = strings.Cut(w, " ")
	return strings.TrimRight(w, ";&|)")
}
