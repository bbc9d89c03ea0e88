package agents

import (
	"strconv"
	"strings"
)

// groupNote and errorNote are the beginnings of the last and the first line that clients add after the output of a command.
const (
	groupNote = "Process Group PGID: "
	errorNote = "Error: "
)

// shellNotes lists the beginnings of all such lines, except for the exit code's.
var shellNotes = []string{groupNote, "Background PIDs: ", "Signal: ", errorNote}

// ShellText parses the text about a command that Gemini CLI, and clients made from it, show their model. The text has "Output: ", the
// output, and lines such as "Exit Code: 3". Everything may be in an <untrusted_context>. If the text begins with "Command: ", texts of
// hooks may follow these lines. exit is 0 if the text has no exit code.
func ShellText(text string) (output string, exit int) {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(text, "<untrusted_context>")
	text = strings.TrimSpace(strings.TrimSuffix(text, "</untrusted_context>"))
	if strings.HasPrefix(text, "Command: ") {
		if _, rest, ok := strings.Cut(text, "\nOutput: "); ok {
			text = "Output: " + rest
		}
		if i := strings.LastIndex(text, "\n"+groupNote); i >= 0 {
			end := strings.IndexByte(text[i+1:], '\n')
			if end >= 0 {
				text = text[:i+1+end]
			}
		}
	}
	text, labelled := strings.CutPrefix(text, "Output: ")
	first := 0 // the first line that the client may have added
	if labelled {
		first = 1 // the label marks the line before as output
	}
	lines := strings.Split(text, "\n")
	end := len(lines)
	for end > first { // back from the end, over the lines that the client added
		line := lines[end-1]
		code, isCode := strings.CutPrefix(line, "Exit Code: ")
		if isCode {
			exit, _ = strconv.Atoi(code) // 0 if it is not a number
		} else if !begins(line, shellNotes) {
			break
		}
		end--
		if strings.HasPrefix(line, errorNote) {
			break // no line of the client precedes it
		}
	}
	if output = strings.Join(lines[:end], "\n"); output == "(empty)" {
		output = ""
	}
	return output, exit
}
