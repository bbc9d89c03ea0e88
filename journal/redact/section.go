package redact

import "strings"

// sectionWindow holds the sections that are read.
const sectionWindow = 4 << 10

// Blocks of lines whose heading says that every value in them is secret: [secrets], credentials:, the data of a Secret of
// Kubernetes.
var sections = [...]Rule{{
	Name: "secret-section", Kind: "secret", Finds: "the values of a section or block named secrets or credentials",
	Keywords: []string{"secrets]", "secret]", "credentials]", "passwords]", "secrets:", "credentials:", "passwords:"}, Fold: true,
	each: sectionValues, window: sectionWindow, generic: true,
}, {
	Name: "secret-manifest", Kind: "secret", Finds: "the data of a Secret of Kubernetes",
	Keywords: []string{"nd: Secret"}, each: manifestData, window: sectionWindow, generic: true,
}}

var _ = declare(sections[:])

// held is what the lines of a section say that have a name of their own which tells nothing.
var held = Place{above: sense{namedSecret, byShape}}

// sectionValues reads the lines below a heading: those up to the next heading, or those that are further right.
func sectionValues(s string, at, end int) (found []span) {
	begin := lineBegin(s, at)
	line := s[begin : begin+indexOr(s[begin:], "\r\n")]
	indent := gap.run(line)
	bracket := s[end-1] == ']'
	if end-begin > len(line) {
		return nil // a carriage return within
	}
	if bracket && !strings.HasPrefix(line[indent:], "[") || strings.TrimSpace(line[end-begin:]) != "" {
		return nil
	}
	for i := begin + len(line); i < len(s); {
		i += leading(s[i:], "\r\n")
		line = s[i : i+indexOr(s[i:], "\r\n")]
		switch n := gap.run(line); {
		case line == "", bracket && strings.HasPrefix(line[n:], "["), !bracket && n <= indent && !strings.HasPrefix(line[n:], "-"):
			return found
		}
		found = appendLine(found, s, i, line, held)
		i += len(line)
	}
	return found
}

// manifestData reads what stands below data or stringData in a manifest that says it is a Secret, wherever it says so.
func manifestData(s string, at, end int) (found []span) {
	if !strings.HasSuffix(s[:at], "ki") || strings.TrimSpace(s[end:end+indexOr(s[end:], "\r\n")]) != "" {
		return nil
	}
	begin := max(0, at-sectionWindow)
	if i := strings.LastIndex(s[begin:at], "\n---"); i >= 0 {
		begin += i
	}
	to := len(s)
	if i := strings.Index(s[end:], "\n---"); i >= 0 {
		to = end + i
	}
	inside, indent := false, 0
	for i := begin; i < to; {
		i += leading(s[i:to], "\r\n")
		line := s[i : i+indexOr(s[i:to], "\r\n")]
		n := gap.run(line)
		switch name := strings.TrimSpace(line); {
		case name == "data:" || name == "stringData:":
			inside, indent = true, n
		case n <= indent && name != "":
			inside = false
		case inside:
			_, value, _ := strings.Cut(line, ":")
			v := strings.Trim(value, " \t\"'")
			if from := strings.LastIndex(line, v); len(v) >= shortestEntry && !filler(v) && strings.IndexByte("|>", v[0]) < 0 {
				found = append(found, span{from: i + from, to: i + from + len(v)})
			}
		}
		i += len(line)
	}
	return found
}

// appendLine judges a line NAME = value or NAME: value as a member of what stands at p.
func appendLine(found []span, s string, at int, line string, p Place) []span {
	n := indexOr(line, ":=")
	if n == len(line) || !dotted.only(strings.Trim(line[:n], " \t\"'")) || strings.HasPrefix(line[n:], ":/") {
		return found
	}
	in := p.Member(strings.Trim(line[:n], " \t-\"'"))
	from := at + n + 1 + blanks(line[n+1:])
	q, width := opening(s[from:])
	from += width
	to := from
	if q.close != "" {
		to += q.run(s[from:])
	} else {
		to += bareRun(s[from:])
		if in.own.rule != nil || strings.ContainsAny(s[from:min(to+1, len(s))], "()") {
			return found // the rules of names judge it as what it may be: code
		}
	}
	for _, f := range in.spans(s[from:to]) {
		f.from, f.to = f.from+from, f.to+from
		found = append(found, f)
	}
	return found
}
