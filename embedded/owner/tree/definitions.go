package tree

import (
	"path"
	"regexp"
	"strings"

	"journal/events/text"
)

// definition is a line of a file that defines a name.
type definition struct {
	name string
	line int // from 1
	// body is true if the lines below belong to the definition.
	body bool
}

// shape matches a line that defines a name, which is its first group.
type shape struct {
	line func() *regexp.Regexp // compiles at the first use: few runs of the program read files
	body bool                  // see definition
}

// withBody returns the shape of a definition that continues on the lines below. bare returns the shape of any other definition.
func withBody(pattern string) shape { return shape{text.Pattern(pattern), true} }
func bare(pattern string) shape     { return shape{text.Pattern(pattern), false} }

// The shapes of languages. Defining lines are enough: no parser is small enough, and a file under work may not parse.
var (
	golang = []shape{
		withBody(`^func (?:\([^)]*\) )?(\w+)[(\[]`), withBody(`^type (\w+)\b`), bare(`^(?:var|const) (\w+)\b`), bare(`^\t([A-Z]\w+)\s+(?:[\w.\[\]*]+ )?= (?:iota|"|\d)`),
		bare(`^\t([A-Z]\w+)\s*(?://.*)?$`), // in a list of constants
	}
	script = []shape{ // TypeScript, JavaScript
		withBody(`^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|enum|namespace) (\w+)`),
		withBody(`^\s*(?:export )?(?:const|let|var) (\w+)(?:: [^=]+)? = (?:async )?(?:\([^)]*\)(?:: [^=]+)?|\w+) =>`),
		bare(`^(?:export )?(?:declare )?type (\w+)\b`), bare(`^(?:export )?(?:const|let|var) (\w+)\b`),
		withBody(`^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set) )*(\w+)\s*(?:<[^>]*>)?\([^;=]*\)(?:: [^;=]+)? \{$`),
	}
	python = []shape{withBody(`^\s*(?:async )?def (\w+)\(`), withBody(`^\s*class (\w+)\b`), bare(`^([A-Z][A-Z0-9_]{2,})\b(?:: [^=]+)? = `)}
	rust   = []shape{
		withBody(`^\s*(?:pub(?:\([^)]*\))? )?(?:default )?(?:const )?(?:async )?(?:unsafe )?(?:extern "[^"]*" )?fn (\w+)`),
		withBody(`^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union|mod) (\w+)`), withBody(`^\s*impl(?:<[^>]*>)? (?:[\w:<>', ]+ for )?(\w+)`),
		bare(`^\s*(?:pub(?:\([^)]*\))? )?(?:type|const|static)(?: mut)? (\w+)`), withBody(`^\s*macro_rules! (\w+)`),
	}
	// Java and C#: modifiers, a type, a name.
	classes = []shape{
		withBody(`^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|readonly|non-sealed|strictfp|file) )*(?:class|interface|enum|record|struct|@interface) (\w+)`),
		withBody(`^\s*(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized|default|sealed|extern|unsafe|new|partial) )+(?:<[^>]*> )?(?:[\w.<>\[\]?, ]+ )?(\w+)\s*(?:<[^>]*>)?\(`),
	}
	ruby  = []shape{withBody(`^\s*(?:class|module) (?:\w+::)*(\w+)`), withBody(`^\s*(?:private |protected )?def (?:self\.)?(\w+[?!]?)`), bare(`^\s*([A-Z][A-Z0-9_]{2,}) = `)}
	clang = []shape{ // C, C++
		withBody(`^(?:typedef )?(?:struct|union|enum|class|namespace)(?: class)? (\w+)[^;]*$`), bare(`^#define (\w+)`),
		withBody(`^(?:[A-Za-z_][\w:<>,*&]*[\s*&]+)+(?:\w+::)*(~?\w+)\([^;]*$`), bare(`^(?:typedef .*[ *]|using )(\w+)(?:;| =)`),
	}
	shapes = map[string][]shape{
		".go": golang, ".ts": script, ".tsx": script, ".js": script, ".jsx": script, ".mjs": script, ".cjs": script, ".mts": script,
		".py": python, ".pyi": python, ".rs": rust, ".java": classes, ".cs": classes, ".rb": ruby, ".rake": ruby,
		".c": clang, ".h": clang, ".cc": clang, ".cpp": clang, ".cxx": clang, ".hpp": clang, ".hh": clang,
	}
)

// keywords holds the words that a shape would mistake for a name.
var keywords = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "return": true, "catch": true, "else": true, "new": true, "function": true, "constructor": true, "_": true,
	"sizeof": true, "do": true, "case": true, "throw": true, "super": true, "using": true, "lock": true,
}

// maxLine is the longest line that is examined, in bytes: handwritten lines are shorter.
const maxLine = 400

// definitionsIn returns the definitions in a file, top to bottom, none for an unknown language. It skips strings and comments of
// several lines, and lines longer than maxLine.
func definitionsIn(name string, lines []string) (all []definition) {
	known := shapes[strings.ToLower(path.Ext(name))]
	if known == nil {
		return nil
	}
	var in quoted
	for i, line := range lines {
		inside := in.next(line)
		if inside || len(line) > maxLine {
			continue
		}
		for _, s := range known {
			if m := s.line().FindStringSubmatch(line); m != nil && !keywords[m[1]] {
				all = append(all, definition{m[1], i + 1, s.body})
				break
			}
		}
	}
	return all
}

// quoted follows strings and comments of several lines. end is the end of the one that is open, empty if none is.
type quoted struct{ end string }

// marks holds the beginnings and ends of strings and comments of several lines.
var marks = []struct{ begin, end string }{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"`", "`"}}

// next processes a line, and reports whether it begins inside a string or comment.
func (q *quoted) next(line string) (inside bool) {
	inside = q.end != ""
	for line != "" {
		if q.end != "" {
			_, rest, ended := strings.Cut(line, q.end)
			if !ended {
				return inside
			}
			line, q.end = rest, ""
			continue
		}
		begin, found := len(line), -1
		for i, m := range marks {
			if n := strings.Index(line, m.begin); n >= 0 && n < begin {
				begin, found = n, i
			}
		}
		if found < 0 || strings.Contains(line[:begin], "//") { // a mark in a comment of one line begins nothing
			return inside
		}
		line, q.end = line[begin+len(marks[found].begin):], marks[found].end
	}
	return inside
}

// enclosing returns the definition that contains a line, counted from 1. It is the nearest definition with a body that is on the line, or
// above it and less indented. A blank line belongs to the nearest one above it. enclosing returns false if there is none.
func enclosing(lines []string, all []definition, line int) (definition, bool) {
	depth, blank := indent(lines[line-1]), strings.TrimSpace(lines[line-1]) == ""
	for i := len(all) - 1; i >= 0; i-- {
		d := all[i]
		above := d.line <= line && d.body
		if above && (d.line == line || blank || indent(lines[d.line-1]) < depth) {
			return d, true
		}
	}
	return definition{}, false
}

// indent returns the number of blanks at the beginning of a line.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
