package failure

import (
	"bytes"
	"strings"
)

// maxLine bounds the examined part of an output line, in bytes: a mark stands at its beginning, and longer lines are data.
const maxLine = 512

// maxWhole bounds the part of an output that is kept to look for findings, in bytes. Clients cut outputs at 30 to 60 KB.
const maxWhole = 64 << 10

// Scanner finds the first marks of failure in the output of a shell command. The output may come in pieces, and before
// the command is known: agents send both in any order. The zero value is ready. A Scanner is not safe for concurrent use.
type Scanner struct {
	line      []byte // the current line, at most maxLine of it
	long      bool   // the current line is longer than maxLine
	mark      string // the first line with any mark
	shellMark string // the first line with one of shellMarks
	whole     []byte // the beginning of the output, at most maxWhole of it
}

// Write adds a piece of the output. It never fails.
func (s *Scanner) Write(b []byte) (int, error) {
	n := len(b)
	s.whole = append(s.whole, b[:min(n, maxWhole-len(s.whole))]...)
	for s.shellMark == "" && len(b) > 0 {
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
		s.examine()
		b = b[end+1:]
	}
	return n, nil
}

// Mark returns the first line that shows a failure, trimmed and at most 512 bytes long. It is empty if no line shows one, or if the
// command's exit code reports every failure.
func (s *Scanner) Mark(command string) string {
	if !Hides(command) {
		return ""
	}
	return s.MarkWithoutCode(command)
}

// MarkWithoutCode is Mark for an agent that never reports an exit code.
func (s *Scanner) MarkWithoutCode(command string) string {
	s.examine()
	if onlyReads(command) {
		return s.shellMark
	}
	return s.mark
}

// Whole returns the output, or the lines within its first 64 KiB. It is not redacted.
func (s *Scanner) Whole() string {
	if len(s.whole) < maxWhole {
		return string(s.whole)
	}
	return string(s.whole[:bytes.LastIndexByte(s.whole, '\n')+1])
}

// examine looks for marks in the collected line and starts the next one.
func (s *Scanner) examine() {
	if len(s.line) > 0 && s.shellMark == "" {
		text := Plain(string(s.line))
		if s.long { // the last word is cut and may be a secret, which only its whole text reveals
			text = text[:strings.LastIndexAny(text, " \t\n")+1]
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
			if s.shellMark == "" && marked(line, shellMarks) {
				s.shellMark = line
			}
			if s.mark == "" && marked(line, marks) {
				s.mark = line
			}
		}
	}
	s.line, s.long = s.line[:0], false
}

// Plain returns terminal text without escape sequences and control characters, except for line ends and tabs. A carriage
// return becomes a line end.
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
		if !isControl(rune(s[i])) {
			b.WriteByte(s[i])
		}
		i++
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f }

// escapeLen returns the length of the escape sequence at the beginning of s, in bytes (ECMA-48: control sequences,
// operating system commands, and two-character sequences).
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
			if s[i] == 0x1b { // the terminator is a sequence of its own
				return i
			}
		}
		return len(s)
	}
	if s[1] >= 0x80 { // a part of a character
		return 1
	}
	return 2
}
