package agents

import (
	"strconv"
	"strings"
)

// shellNotes are beginnings of the lines that clients add after the output of a command, for the model.
var shellNotes = []string{"Process Group PGID: ", "Background PIDs: ", "Signal: ", "Error: "}

// ShellText parses the text about a command that Gemini CLI, and clients made from it, show their model. It has the output after
// "Output: ", then lines such as "Exit Code: 3", all perhaps in an <untrusted_context>, and perhaps the texts of hooks after
// that. exit is 0 if the text has no exit code.
func ShellText(text string) (output string, exit int) {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(text, "<untrusted_context>")
	text = strings.TrimSpace(strings.TrimSuffix(text, "</untrusted_context>"))
	if strings.HasPrefix(text, "Command: ") {
		if _, rest, ok := strings.Cut(text, "\nOutput: "); ok {
			text = "Output: " + rest
		}
		if i := strings.LastIndex(text, "\n"+shellNotes[0]); i >= 0 {
			end := strings.IndexByte(text[i+1:], '\n')
			if end >= 0 {
				text = text[:i+1+end]
			}
		}
	}
	text, labelled := strings.CutPrefix(text, "Output: ")
	first := 0
	if labelled {
		first = 1
	}
	lines := strings.Split(text, "\n")
	end := len(lines)
	for end > first { // the client's lines are at the end
		line := lines[end-1]
		code, isCode := strings.CutPrefix(line, "Exit Code: ")
		if isCode {
			exit, _ = strconv.Atoi(code) // 0 if it is not a number
		} else if !begins(line, shellNotes) {
			break
		}
		end--
		if strings.HasPrefix(line, "Error: ") {
			break // the client's first line
		}
	}
	if output = strings.Join(lines[:end], "\n"); output == "(empty)" {
		output = ""
	}
	return output, exit
}
