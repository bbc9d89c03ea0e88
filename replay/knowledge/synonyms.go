package knowledge

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// wrappers lists programs that run the command after them.
var wrappers = []string{"time", "timeout", "env", "sudo", "nohup", "command", "exec", "npx", "bunx", "uv run", "poetry run", "pnpm exec"}

// aliases maps an alias of a program to the words of its usual name.
var aliases = map[string][]string{"docker-compose": {"docker", "compose"}, "apt-get": {"apt"}}

// unwrapped returns the words of a command without variables, wrappers and their numbers before it: python -m pytest is
// pytest.
func unwrapped(words []string) []string {
	for len(words) > 0 {
		first := words[0]
		switch {
		case len(words) > 2 && (slices.Contains(wrappers, first+" "+words[1]) || words[1] == "-m" && strings.HasPrefix(path.Base(first), "python")):
			words = words[2:]
		case strings.Contains(first, "="), slices.Contains(wrappers, first), first != "" && first[0] >= '0' && first[0] <= '9':
			words = words[1:]
		case aliases[first] != nil:
			return slices.Concat(aliases[first], words[1:])
		default:
			return words
		}
	}
	return nil
}

// program returns the name of a program without its directory. A number at the end of an installed program is its version:
// python3 is python, but ./step2 is step2.
func program(word string) string {
	name := path.Base(word)
	if name == word || strings.HasSuffix(path.Dir(word), "/bin") {
		return cmp.Or(strings.TrimRight(name, "0123456789."), name)
	}
	return name
}

// installs maps the install command of a package manager to the registry of its packages. Managers with the same registry
// replace each other: yarn succeeds where npm failed.
var installs = map[string]string{
	"npm install": "npm", "npm i": "npm", "npm ci": "npm", "npm add": "npm", "yarn": "npm", "yarn install": "npm", "yarn add": "npm",
	"pnpm install": "npm", "pnpm i": "npm", "pnpm add": "npm", "bun install": "npm", "bun i": "npm", "bun add": "npm",
	"pip install": "pip", "uv pip install": "pip", "apt install": "apt",
}

// installing returns the task of an install command; it is empty for other commands. Its targets are the named packages, or
// an empty one for those that the project lists.
func installing(words []string) (t task) {
	for n := range min(3, len(words)) { // words of the install command after the program
		verb := append([]string{program(words[0])}, words[1:n+1]...)
		registry := installs[strings.Join(verb, " ")]
		if registry == "" {
			continue
		}
		for _, w := range words[n+1:] {
			if w == "-g" || w == "--global" {
				t.targets = append(t.targets, "-g")
			} else if !strings.HasPrefix(w, "-") {
				t.targets = append(t.targets, w)
			}
		}
		if n == 0 && t.targets != nil {
			t.targets = nil // "yarn NAME" may be "yarn add", or run a script
			continue
		}
		if t.targets == nil {
			t.targets = []string{""}
		}
		t.words, t.action = verb, registry+"\x00install"
		return t
	}
	return t
}
