package agents

import (
	"strconv"
	"strings"
)

// shellNotes begin the lines that clients put behind the output of a command, for the model.
var shellNotes = []string{"Process Group PGID: ", "Background PIDs: ", "Signal: ", "Error: "}

// ShellText parses the text about a command that the model of Gemini CLI and of clients made from it is shown: lines
// "Output: …", "Exit Code: 3" and others about its processes, between tags, and texts of hooks behind them. exit is 0 if it is
// unknown.
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
	for end > first { // the client's own lines are at the end
		line := lines[end-1]
		code, isCode := strings.CutPrefix(line, "Exit Code: ")
		if isCode {
			exit, _ = strconv.Atoi(code) // 0 is unknown
		} else if !begins(line, shellNotes) {
			break
		}
		end--
		if strings.HasPrefix(line, "Error: ") {
			break // the first of them
		}
	}
	if output = strings.Join(lines[:end], "\n"); output == "(empty)" {
		output = ""
	}
	return output, exit
}
