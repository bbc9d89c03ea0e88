// Package shell parses shell commands, as far as possible without a shell: those of POSIX shells, and those of agents
// for PowerShell.
package shell

import (
	"path"
	"slices"
	"strings"

	"journal/events/text"
)

// Part is a simple command and the operator after it.
type Part struct {
	// Words are the words without quotes. A redirection operator is a word of its own (see Redirects). A substitution stands
	// in its word as written.
	Words []string
	// Op is |, ||, &&, & or ; (also for a line end), or ;; in a case. It is empty at the end of a group without an operator,
	// and of the whole command.
	Op string
}

// Commands returns the words of each simple command in a shell command.
func Commands(command string) (all [][]string) {
	for _, p := range Split(command) {
		all = append(all, p.Words)
	}
	return all
}

// Redirects reports whether a word is an operator that sends output to a file: >, >> or >|, with or without a number or
// & in front.
func Redirects(word string) bool {
	op := strings.TrimLeft(word, "0123456789&")
	return op == ">" || op == ">>" || op == ">|"
}

// Split splits a shell command into its simple commands; each has at least one word. It omits comments and the bodies
// of here-documents, expands nothing, and does not parse substitutions.
func Split(command string) []Part {
	command = withoutDocuments(command)
	var s splitter
	for i := 0; i < len(command); i++ {
		switch c, rest := command[i], command[i+1:]; {
		case c == '\\' && s.inPath(rest):
			s.write(`\`)
		case c == '`' && strings.HasPrefix(strings.TrimPrefix(rest, "\r"), "\n"): // PowerShell continues the line
			i += strings.IndexByte(rest, '\n') + 1
		case (c == '\'' || c == '"') && string(s.word) == "@" && strings.HasPrefix(strings.TrimPrefix(rest, "\r"), "\n"):
			content, after, _ := strings.Cut(rest[strings.IndexByte(rest, '\n'):], "\n"+string(c)+"@") // a here-string of PowerShell
			s.word = append(s.word[:0], strings.TrimPrefix(content, "\n")...)
			i = len(command) - len(after) - 1
		case c == '\\':
			i++
			if rest != "" && rest[0] != '\n' {
				s.write(rest[:1])
			}
		case c == '\'', c == '"':
			end := quoteEnd(command, i)
			s.write(command[i+1 : end])
			if c == '"' {
				s.unescape(end - i - 1)
			}
			i = end
		case c == '`':
			end := quoteEnd(command, i)
			s.write(command[i:min(end+1, len(command))])
			i = end
		case strings.IndexByte("$<>", c) >= 0 && strings.HasPrefix(rest, "("):
			end := parenthesisEnd(command, i+1)
			s.write(command[i:min(end+1, len(command))])
			i = end
		case c == '$' && strings.HasPrefix(rest, "{"):
			end := max(0, strings.IndexByte(rest, '}'))
			s.write(command[i : i+1+end+1])
			i += end + 1
		case c == ' ', c == '\t', c == '\r':
			s.endWord()
		case c == '#' && !s.inWord:
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				i += end
			} else {
				i = len(command)
			}
		case c == '>': // after a number or & both are one operator
			if strings.Trim(string(s.word), "0123456789&>") != "" {
				s.endWord()
			}
			s.word, s.inWord = append(s.word, '>'), true
		case (c == '&' || c == '|') && s.endsInRedirection(): // 2>&1, >| file
			s.word = append(s.word, c)
		case c == '&' && strings.HasPrefix(rest, ">"):
			s.endWord()
			s.write("&")
		case strings.IndexByte("&|;", c) >= 0 && strings.HasPrefix(rest, string(c)):
			s.operator(command[i : i+2])
			i++
		case strings.IndexByte("&|;", c) >= 0:
			s.operator(string(c))
		case c == '\n':
			s.operator(";")
		case c == '(', c == ')', (c == '{' || c == '}') && !s.inWord && (rest == "" || strings.IndexByte(" \t\r\n;&|)", rest[0]) >= 0):
			s.operator("")
			s.closed = c == ')' || c == '}'
		default:
			s.write(command[i : i+1])
		}
	}
	s.operator("")
	return s.parts
}

// Pattern returns a pattern for path.Match that matches the possible values of a word: each variable and substitution in it
// becomes *.
func Pattern(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		rest, end := word[i+1:], i
		switch {
		case word[i] == '`':
			end = quoteEnd(word, i)
		case word[i] != '$' || rest == "":
		case rest[0] == '(':
			end = parenthesisEnd(word, i+1)
		case rest[0] == '{':
			end += 1 + max(0, strings.IndexByte(rest, '}'))
		default:
			end += len(rest) - len(strings.TrimLeft(rest, nameBytes))
		}
		if end > i {
			b.WriteByte('*')
		} else {
			b.WriteByte(word[i])
		}
		i = end
	}
	return b.String()
}

// nameBytes are the bytes of variable names.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// splitter is the state of Split.
type splitter struct {
	parts  []Part
	words  []string
	word   []byte
	inWord bool // a word has begun, which is empty after empty quotes
	closed bool // a group has just ended, and its last part gets the operator behind the group
}

// write adds a piece to the word. After a redirection operator it starts a new word.
func (s *splitter) write(piece string) {
	// Check the last byte first: calling Redirects on a long word for each of its bytes takes seconds.
	if n := len(s.word); n > 0 && strings.IndexByte(">|", s.word[n-1]) >= 0 && Redirects(string(s.word)) {
		s.endWord()
	}
	s.word, s.inWord = append(s.word, piece...), true
}

// unescape removes the backslashes from the last n bytes of the word, which were in double quotes.
func (s *splitter) unescape(n int) {
	quoted := s.word[len(s.word)-n:]
	s.word = s.word[:len(s.word)-n]
	for i := 0; i < len(quoted); i++ {
		if quoted[i] == '\\' && i+1 < len(quoted) && strings.IndexByte("$`\"\\\n", quoted[i+1]) >= 0 {
			if i++; quoted[i] == '\n' {
				continue
			}
		}
		s.word = append(s.word, quoted[i])
	}
}

// inPath reports whether a backslash between the word and rest belongs to a path of Windows, such as C:\dir\file and .\file.
// A POSIX shell would drop such a backslash, so it cannot be meant as an escape.
func (s *splitter) inPath(rest string) bool {
	inName := func(b byte) bool { return b >= 0x80 || strings.IndexByte(nameBytes, b) >= 0 }
	n := len(s.word)
	if n == 0 || rest == "" {
		return false
	}
	drive := n > 1 && s.word[1] == ':' && (inName(rest[0]) || rest[0] == '.')
	return drive || inName(rest[0]) && (inName(s.word[n-1]) || s.word[n-1] == '.')
}

// endsInRedirection reports whether the word is a redirection that a following & or | can belong to.
func (s *splitter) endsInRedirection() bool {
	return len(s.word) > 0 && strings.IndexByte("<>", s.word[len(s.word)-1]) >= 0
}

// endWord adds the word to the words of the simple command, if one has begun.
func (s *splitter) endWord() {
	if s.inWord {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.inWord = s.word[:0], false
}

// operator ends the simple command. If the command has no words, the operator belongs to the group that ended before it, if any.
// An operator after another operator is dropped, as in an empty line.
func (s *splitter) operator(op string) {
	s.endWord()
	if len(s.words) > 0 {
		s.parts = append(s.parts, Part{s.words, op})
		s.words = nil
	} else if n := len(s.parts); n > 0 && op != "" && (s.closed || s.parts[n-1].Op == "") {
		s.parts[n-1].Op = op
	}
	s.closed = false
}

// quoteEnd returns the index of the quote that closes the quote at s[i], len(s) for none.
func quoteEnd(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == q:
			return j
		case s[j] == '\\' && q != '\'':
			j++
		case q == '"' && s[j] == '$' && strings.HasPrefix(s[j+1:], "("):
			j = parenthesisEnd(s, j+1)
		}
	}
	return len(s)
}

// parenthesisEnd returns the index of the parenthesis that closes the parenthesis at s[i], len(s) for none.
func parenthesisEnd(s string, i int) int {
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

// hereDocument matches the start of a here-document, which ends at a line with the same word.
var hereDocument = text.Pattern(`^<<-?\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z0-9_.]+))`)

// withoutDocuments removes the bodies of here-documents from a command.
func withoutDocuments(command string) string {
	if !strings.Contains(command, "<<") {
		return command
	}
	var out []string
	var ends []string
	var open quotes
	for line := range strings.Lines(command) {
		if len(ends) > 0 {
			if strings.TrimLeft(strings.TrimRight(line, "\r\n"), "\t") == ends[0] {
				ends = ends[1:]
			}
			continue
		}
		ends = open.documents(line)
		if before, _, _ := strings.Cut(line, "<<"); strings.Contains(before, "((") { // arithmetic
			ends = nil
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

// quotes holds the quotes and parentheses that are open at a place in a command, the innermost last.
type quotes []byte

// documents reads the next line of a command. It returns the words that end the here-documents that the line begins. A << in quotes
// begins none, unless it is in a substitution within double quotes.
func (q *quotes) documents(line string) (ends []string) {
	for i := 0; i < len(line); i++ {
		inner := byte(0)
		if n := len(*q); n > 0 {
			inner = (*q)[n-1]
		}
		switch c, rest := line[i], line[i+1:]; {
		case len(*q) > 0 && c == inner:
			*q = (*q)[:len(*q)-1]
		case inner == '\'':
		case c == '\\':
			i++
		case c == '$' && strings.HasPrefix(rest, "("):
			*q = append(*q, ')')
			i++
		case inner == '"':
		case c == '\'' || c == '"':
			*q = append(*q, c)
		case c == '(':
			*q = append(*q, ')')
		case c == '#' && (i == 0 || strings.IndexByte(" \t;&|(", line[i-1]) >= 0):
			return ends
		case strings.HasPrefix(line[i:], "<<<"):
			i += len("<<")
		case strings.HasPrefix(line[i:], "<<"):
			if m := hereDocument().FindStringSubmatch(line[i:]); m != nil {
				ends = append(ends, m[1]+m[2]+m[3])
				i += len(m[0]) - 1
			}
		}
	}
	return ends
}

// Plain returns the words of a simple command without redirections and leading variable assignments.
func Plain(words []string) (plain []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case strings.TrimLeft(w, "0123456789&<>|") == "" && strings.ContainsAny(w, "<>"): // an operator alone
			if duplicates := strings.HasSuffix(strings.TrimRight(w, "0123456789"), "&"); !duplicates { // not 2>&1
				i++ // skip the operator's file
			}
		case strings.HasPrefix(strings.TrimLeft(w, "0123456789&"), ">"), strings.HasPrefix(w, "<"): // an operator with its file
		case len(plain) == 0 && variable().MatchString(w):
		default:
			plain = append(plain, w)
		}
	}
	return plain
}

// variable matches the assignment of a variable.
var variable = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*=`)

// Written returns the words of a simple command that may name files which it writes, moves or removes: targets of
// redirections, and all arguments of programs such as tee, mv and sed -i. It ignores the arguments of unknown programs.
func Written(words []string) (files []string) {
	for i, w := range words[:max(0, len(words)-1)] {
		if to := words[i+1]; Redirects(w) && !strings.HasPrefix(to, "/dev/") && to != "$null" {
			files = append(files, to)
		}
	}
	words = Plain(words)
	for len(words) > 0 && slices.Contains([]string{"sudo", "git", "command"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return files
	}
	switch strings.ToLower(path.Base(words[0])) {
	case "sed", "gsed", "perl", "awk", "gawk":
		if !slices.ContainsFunc(words, inPlace) {
			return files
		}
	case "tee", "mv", "cp", "rm", "touch", "truncate", "install", "unlink",
		"set-content", "add-content", "out-file", "tee-object", "new-item", "move-item", "copy-item", "remove-item":
	default:
		return files
	}
	return append(files, words[1:]...)
}

// inPlace reports whether an option makes a program write to the files that it reads: -i, -Ei.bak, -0pi, --in-place. Other options of
// one letter that have no value may stand before the i.
func inPlace(w string) bool {
	const others = "0123456789EFTWalnprsuwz"
	letters, isOption := strings.CutPrefix(w, "-")
	return isOption && strings.HasPrefix(strings.TrimLeft(letters, others), "i") || strings.HasPrefix(w, "--in-place")
}
