package failure

import "strings"

// Messages of shells and git are marks even for commands that only read: they are about the command itself.
var shellMarks = []mark{
	{
		name: "command not found", hint: "command not found",
		matches: func(line string) bool {
			before, after, _ := strings.Cut(line, "command not found")
			return after == "" && strings.HasSuffix(before, ": ") || before == "" && strings.HasPrefix(after, ": ")
		},
		yes: []string{"bash: line 1: rg: command not found", "zsh:1: command not found: staticcheck", "(eval):1: command not found: rg", "command not found: staticcheck"},
		no:  []string{"if command not found, install it", `echo "command not found"`},
	},
	{
		name: "no such file", hint: ": No such file or directory",
		matches: func(line string) bool {
			program, rest, ok := strings.Cut(line, ": ")
			return ok && program != "" && !strings.ContainsAny(program, " \t\"'(=") && !strings.Contains(program, ":") &&
				strings.HasSuffix(rest, ": No such file or directory")
		},
		yes: []string{"ls: cannot access 'x': No such file or directory", "grep: x: No such file or directory"},
		no:  []string{"return fmt.Errorf(\"x: No such file or directory\")", "a.go:3: x: No such file or directory is tested"},
	},
	{
		name: "not recognized", hint: "' is not recognized as ",
		matches: func(line string) bool {
			before, after, _ := strings.Cut(line, "' is not recognized as ")
			before, _, _ = strings.Cut(before, "'")
			return (before == "" || strings.HasSuffix(before, "The term ")) && (strings.HasPrefix(after, "an internal or external command") || strings.Contains(after, " name of a cmdlet"))
		},
		yes: []string{
			"'rg' is not recognized as an internal or external command,", "rg : The term 'rg' is not recognized as the name of a cmdlet, function,",
			"rg: The term 'rg' is not recognized as a name of a cmdlet, function, script file, or executable program.",
		},
		no: []string{"it says 'rg' is not recognized as an internal or external command", "'x' is not recognized as a number"},
	},
	{
		name: "git", hint: "fatal: ", matches: begins("fatal: "),
		yes: []string{"fatal: not a git repository"}, no: []string{"it is fatal: stop"},
	},
}

func init() {
	// zsh puts its position in front of the message: "zsh:1: ", "(eval):1: ".
	for i, m := range shellMarks {
		matches := m.matches
		shellMarks[i].matches = func(line string) bool {
			if strings.HasPrefix(line, "zsh:") || strings.HasPrefix(line, "(eval):") {
				_, line, _ = strings.Cut(line, ": ")
			}
			return matches(line)
		}
		declare(shellMarks[i])
	}
}
