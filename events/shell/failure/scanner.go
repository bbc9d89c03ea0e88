package failure

import (
	"bytes"
	"strings"
)

// maxLine bounds what of one line of output is looked at, in bytes. No mark is
// longer, and a line of a megabyte is data.
const maxLine = 512

// Scanner looks for the first marks of failure in the output of a shell command,
// which may come in pieces, and before the command is known: agents do not give them
// in an order. The zero value is ready; it is not safe for concurrent use.
type Scanner struct {
	line       []byte
	long       bool   // the line goes on beyond what is looked at
	any, shell string // the first mark, and the first that the shell itself makes
}

// Write takes a piece of the output. It never fails.
func (s *Scanner) Write(b []byte) (int, error) {
	n := len(b)
	for s.shell == "" && len(b) > 0 {
		end := bytes.IndexByte(b, '\n')
		piece := b
		if end >= 0 {
			piece = b[:end]
		}
		if room := maxLine - len(s.line); len(piece) > room {
			piece, s.long = piece[:room], true
		}
		s.line = append(s.line, piece...)
		if end < 0 {
			break
		}
		s.look()
		b = b[end+1:]
	}
	return n, nil
}

// Mark gives the first line that shows that the command whose output was written
// failed though its exit code says nothing of it, trimmed and at most 512 bytes long;
// empty when there is none.
func (s *Scanner) Mark(command string) string {
	if !Hides(command) {
		return ""
	}
	return s.MarkUntold(command)
}

// MarkUntold is Mark for an agent that never tells an exit code.
func (s *Scanner) MarkUntold(command string) string {
	if s.look(); onlyReads(command) {
		return s.shell
	}
	return s.any
}

// look looks at the line that was collected and begins the next one.
func (s *Scanner) look() {
	if len(s.line) > 0 && s.shell == "" {
		text := Plain(string(s.line))
		if s.long { // what it was cut in may be a secret, which is known only whole
			text = text[:strings.LastIndexAny(text, " \t\n")+1]
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
			if s.shell == "" && shellMarked(line) {
				s.shell = line
			}
			if s.any == "" && marked(line) {
				s.any = line
			}
		}
	}
	s.line, s.long = s.line[:0], false
}

// Plain gives a text of a terminal without its escape sequences and control
// characters; line ends and tabs stay, and a return to the beginning of a line is the
// end of one: terminals copy it as that, and behind it stands another line.
func Plain(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		end := i + 1
		for end < len(s) && s[end] >= 0x80 { // a character whole
			end++
		}
		if !isControl(rune(s[i])) || s[i] >= 0x80 {
			b.WriteString(s[i:end])
		}
		i = end
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f }

// escapeLen is how long the escape sequence is that a text begins with (ECMA-48:
// control sequences, operating system commands, and those of two characters).
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return len(s)
	}
	return 2
}
