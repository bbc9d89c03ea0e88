package redact

import (
	"iter"
	"strings"
)

// This file finds the secrets of sections: below [secrets] or credentials:, in the data of a manifest.

// sectionWindow bounds the bytes of a section.
const sectionWindow = 4 << 10

// secretKind matches the line that makes a manifest a Kubernetes Secret.
var secretKind = lazily(`kind: Secret\s*(?:\n|$)`)

// manifestData finds the values below data or stringData in a manifest whose kind is Secret. The kind may stand before or after
// the data.
func manifestData(s string, at, end int) (found []span) {
	begin, line := max(0, at-sectionWindow), lineBegin(s, at)
	begin += max(0, strings.LastIndex(s[begin:at], "\n---"))
	below, _, _ := strings.Cut(s[end:], "\n---")
	manifest := s[begin : end+len(below)]
	name := strings.TrimSpace(s[line:end])
	if name != "data:" && name != "stringData:" || !strings.Contains(manifest, "kind: Secret") || !secretKind().MatchString(manifest) {
		return nil
	}
	for m := range members(s[:end+len(below)], end, gap.run(s[line:])) {
		if v := s[m.from:m.to]; len(v) >= shortestEntry && !isFiller(v) {
			found = append(found, span{from: m.from, to: m.to})
		}
	}
	return found
}

// sectionValues finds the secrets in the section whose heading contains the keyword s[at:end].
func sectionValues(s string, at, end int) (found []span) {
	stop := end + word.run(clip(s[end:], longestTail))
	s = clip(s, at+sectionWindow)
	body := stop + leading(clip(s[stop:], longestBlank), " \t\"']:={[")
	if body == stop || body == len(s) || s[body] != '\n' && s[body] != '\r' || strings.Trim(s[stop:body], " \t\"'") == "" {
		return nil
	}
	start := nameBegin(s, at)
	nameSense := senseAt(s, start, stop)
	if !nameSense.holds() {
		return nil
	}
	nameSense.how = byShape
	head := s[lineBegin(s, start):start]
	indent := gap.run(head)
	if strings.HasPrefix(s[stop:], "]") && strings.HasPrefix(head, "[") {
		indent = -1 // [secrets]
	}
	inBrackets := strings.ContainsAny(s[stop:body], "{[")
	for m := range members(s, body, indent) {
		if quoted := strings.IndexByte("\"'", s[m.from-1]) >= 0; !quoted && (inBrackets && indent >= 0 || !nameSense.isSecretAnywhere(s[m.from:m.to])) {
			continue
		}
		if m.name == "" || senseOf(m.name) != (sense{}) || inList("besideSecrets", m.name[strings.LastIndexAny(m.name, "_-.")+1:]) {
			continue // a name with a sense has its own rule
		}
		if s[m.from] != '/' && nameSense.isSecret(clip(s[m.from:m.to], judged)) {
			found = append(found, span{from: m.from, to: m.to, rule: nameSense.rule})
		}
	}
	return found
}

// entry is a member of a section, with the bounds of its value. The name is empty if the value is alone on its line.
type entry struct {
	name     string
	from, to int
}

// members yields the members on the lines from s[i] on. The section ends at a line that is not indented deeper than indent. If indent
// is -1, it ends at a line that begins with a bracket.
func members(s string, i, indent int) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for i < len(s) {
			i += leading(s[i:], "\r\n")
			line := s[i:lineEnd(s, i)]
			n := gap.run(line)
			if n <= indent && n < len(line) || line == "" || indent < 0 && line[0] == '[' {
				return
			}
			if m := entryIn(s, i+n, i+len(line)); m.from < m.to && !yield(m) {
				return
			}
			i += len(line)
		}
	}
}

// entryIn parses the line s[from:end]. The bounds of the result are 0 if the line has no value.
func entryIn(s string, from, end int) (m entry) {
	line := s[from:end]
	begin := leading(line, "-\"' ")
	n := (dotted | slash).run(line[begin:])
	gapped := begin + n + leading(line[begin+n:], "\"' \t")
	if i := gapped + leading(line[gapped:], ":=>"); n > 0 && i > gapped {
		m.name, from = line[begin:begin+n], from+i
	}
	from += blanks(s[from:end])
	if q, width := opening(s[from:end]); q.close != "" {
		m.from = from + width
		m.to = m.from + q.value(s[m.from:end])
		return m
	}
	value, _, _ := strings.Cut(s[from:end], " #")
	if value = strings.TrimRight(value, " \t,;"); value != "" && strings.IndexByte("|>#{[", value[0]) < 0 {
		m.from, m.to = from, from+len(value)
	}
	return m
}

// heading returns the name of the block that contains s[at], or "": the first word of the nearest line above that is indented
// less and has more than brackets.
func heading(s string, at int) string {
	const mostLines = 12
	begin := lineBegin(s, at)
	indent := gap.run(s[begin:])
	for n := 0; begin > 0 && indent > 0 && n < mostLines; n++ {
		end := begin - 1
		begin = lineBegin(s, end)
		line := strings.TrimRight(s[begin:end], " \t\r")
		m := gap.run(line)
		if line == "" || m >= indent {
			continue
		}
		indent = m
		if strings.Trim(line, " \t[{(") == "" {
			continue
		}
		line = strings.TrimLeft(line, " \t\"'-")
		return line[:word.run(line)]
	}
	return ""
}
