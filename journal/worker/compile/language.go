package compile

import (
	"path"
	"strings"
)

// extensions are those of source files. Data, markup and documents are none.
var extensions = map[string]string{
	".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
	".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".py": "Python", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++",
	".cs": "C#", ".fs": "F#", ".swift": "Swift", ".m": "Objective-C", ".rb": "Ruby", ".php": "PHP",
	".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure",
	".dart": "Dart", ".lua": "Lua", ".zig": "Zig", ".sh": "Shell", ".bash": "Shell", ".r": "R", ".jl": "Julia",
	".vue": "Vue", ".svelte": "Svelte", ".sql": "SQL", ".sol": "Solidity",
}

// languageOf gives the language of a source file, empty for any other file.
func languageOf(file string) string { return extensions[strings.ToLower(path.Ext(file))] }

// language says in which language a module is to be written: that of most of its own
// files, else that of the nearest module above it that has one, else that of most
// modules beside it. Where that leaves a choice, a person has to say (S2.3).
func language(m module, modules []module) string {
	if l := most(m.languages); l != "" {
		return l
	}
	for dir := m.path; dir != "."; {
		dir = path.Dir(dir)
		for _, other := range modules {
			if l := most(other.languages); other.path == dir && l != "" {
				return l
			}
		}
	}
	beside := map[string]int{}
	for _, other := range modules {
		if l := most(other.languages); l != "" && other.path != "." && path.Dir(other.path) == path.Dir(m.path) {
			beside[l]++
		}
	}
	return most(beside)
}

// most gives the key with the highest count, empty when several have it.
func most(counts map[string]int) (key string) {
	highest := 0
	for k, n := range counts {
		switch {
		case n > highest:
			key, highest = k, n
		case n == highest:
			key = ""
		}
	}
	return key
}
