package shell

import (
	"errors"
	"strings"
)

// Words splits a command into words at white space. Of a shell's syntax it knows single quotes, double quotes and
// backslashes. It returns an error for an open quote, for a backslash at the end and for an empty command.
func Words(line string) (words []string, err error) {
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	switch {
	case escaped:
		return nil, errors.New("the command ends with a backslash")
	case quote != 0:
		return nil, errors.New("a quote in the command does not end")
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	return words, nil
}
