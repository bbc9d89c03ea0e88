package shell

import (
	"errors"
	"strings"
)

// Words splits a command into words at white space, with single quotes, double quotes and
// backslashes as in a shell, and nothing else of a shell. An open quote and an empty command
// are errors.
func Words(line string) (words []string, err error) {
	var word strings.Builder
	within, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, within = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, within = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if within {
				words = append(words, word.String())
				word.Reset()
			}
			within = false
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote in the command does not end")
	}
	if within {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	return words, nil
}
