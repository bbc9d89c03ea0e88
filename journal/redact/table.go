package redact

import "strings"

// Values below the names of their columns: CSV, tables of Markdown and of databases, INSERT … VALUES.
var _ = declare([]Rule{
	{Name: "column", Kind: "secret", Finds: "the values below a heading that names secrets: of a column, of a section", Keywords: []string{"pass", "secret", "token", "credential", "key", "pwd"}, Fold: true, each: columnValues, window: 8 << 10, generic: true, sees: headed},
})

const mostRows = 64

// columnValues finds the values below the heading that the keyword belongs to.
func columnValues(s string, at, end int) (found []span) {
	after := end + (word | gap).run(clip(s[end:], longestWord))
	after += leading(clip(s[after:], longestBlank), " \"'`*")
	if after < len(s) && strings.IndexByte(",|\t;\r\n)", s[after]) < 0 && !(s[after] == ':' && after+1 < len(s) && s[after+1] != ' ' && colonHeading(s, at) != "") {
		if strings.IndexByte(":={[]", s[after]) >= 0 && (after+1 == len(s) || strings.IndexByte(" {[\r\n", s[after+1]) >= 0) {
			return sectionValues(s, at, end)
		}
		return nil
	}
	begin := lineBegin(s, at)
	head := clip(s[begin:lineEnd(s, begin)], 2*usualWindow)
	stop := begin + len(head)
	if i := strings.LastIndexByte(s[begin:at], '('); i >= 0 {
		return insertedValues(s, begin+i+1, at)
	}
	sep, above := separatorOf(head), s[:begin]
	if after < len(s) && s[after] == ':' || at > 0 && s[at-1] == ':' {
		if names := colonHeading(s, at); names != "" {
			sep, above, head, begin = ":", "", names, stop-len(names)
		}
	}
	if rest, ok := strings.CutPrefix(head, "# "); ok {
		head, begin = rest, begin+len("# ")
		if sep == "" {
			sep = " "
		}
	}
	name := head[:min(at-begin, len(head))]
	if sep == "" || stop == len(s) || fields(name[strings.LastIndex(name, sep)+1:]) > 3 || !tableBegins(above, sep) {
		return nil
	}
	column, named, said := -1, 0, sense{}
	var names, row [mostCells]arg
	cells := cellsOf(names[:0], head, sep)
	for i, c := range cells {
		name := strings.Trim(head[c.from:c.to], "\"'`*")
		if name != "" {
			named++
		}
		if begin+c.from <= at && at < begin+c.to {
			column, said = i, senseOf(name)
		}
	}
	if column < 0 || named < 2 || !said.strong() && said.how != byChance && said.how != byToken {
		return nil
	}
	for i, n := stop, 0; n < mostRows && i < len(s); n++ {
		i += prefixOf(s[i:], "\r\n", "\n", "\r")
		line := s[i:lineEnd(s, i)]
		values := cellsOf(row[:0], line, sep)
		if len(values) != len(cells) {
			if strings.Trim(line, "+-=|: ") == "" && line != "" {
				i += len(line)
				continue
			}
			return found
		}
		if head, ok := strings.CutPrefix(line, "# "); ok && sep == ":" && (lower | underscore | colon).only(head) {
			return found // the next heading, whose rows are its own: else many of them take a second
		}
		from, to := i+values[column].from, i+values[column].to
		if v := strings.Trim(s[from:to], "\"'`*"); said.tells(v) && (phrase(v) || fields(v) == 1 && (said.how == byName && lower.in(v) > 0 && len(v) >= longWord && !codeName(v) || !letters.only(v) || chosenWord(v))) && (strings.TrimSpace(sep) != "" || sep == "\t" || said.sure(v) || chosenWord(v)) {
			from += strings.Index(s[from:to], v)
			found = append(found, span{from: from, to: from + len(v), rule: said.rule})
		}
		i += len(line)
	}
	return found
}

// colonHeading returns the end of the line of s[at] when it is names that colons part, in a comment: # user:password:level.
func colonHeading(s string, at int) string {
	begin := at - len((lower | underscore | colon).tail(s[max(0, at-usualWindow):at]))
	if !strings.HasSuffix(s[:begin], "# ") {
		return ""
	}
	names := s[begin:lineEnd(clip(s, at+longestName), at)]
	if !(lower | underscore | colon).only(names) || !strings.Contains(names, ":") {
		return ""
	}
	return names
}

// separatorOf returns what parts the cells of a line.
func separatorOf(line string) string {
	for _, sep := range [...]string{"|", "\t", ",", ";", "  "} {
		if strings.Contains(line, sep) {
			if sep == "\t" && strings.Contains(line, "\t\t") {
				return "\t\t" // any number of them
			}
			return sep
		}
	}
	return ""
}

// tableBegins reports whether a table begins behind before: at the start of a text, after an empty line or a rule, or after a
// line that is no row.
func tableBegins(before, sep string) bool {
	before = before[max(0, len(before)-usualWindow):]
	before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if line != "" && strings.Trim(line, "=- ") == "" {
		return tableBegins(before[:len(before)-len(line)], sep) // the rule above a heading
	}
	return !strings.Contains(line, sep)
}

// mostCells bounds the columns of a table.
const mostCells = 32

// cellsOf appends where the cells of a line are, without the blanks around them, up to mostCells. Separators within quotes
// part nothing.
func cellsOf(cells []arg, line, sep string) []arg {
	from, quoted := 0, byte(0)
	for i := 0; i <= len(line) && len(cells) < mostCells; i++ {
		switch {
		case i == from && i < len(line) && sep == "\t\t" && line[i] == '\t':
			from = i + 1
		case i == len(line), quoted == 0 && line[i] == sep[0] && !(i > from && line[i-1] == '\\' && sep == "|") && (len(sep) == 1 || sep == "\t\t" || i > from && strings.HasPrefix(line[i:], sep) && strings.TrimSpace(line[from:i]) != ""):
			a, b := trimmed(line[from:i])
			cells = append(cells, arg{from + a, from + b})
			from = i + 1
		case quoted != 0:
			if line[i] == quoted {
				quoted = 0
			}
		case (line[i] == '"' || line[i] == '\'') && strings.TrimSpace(line[from:i]) == "":
			quoted = line[i]
		}
	}
	return cells
}

// insertedValues finds the values that SQL inserts into the column at: INSERT INTO users (name, password) VALUES ('x', '…').
func insertedValues(s string, first, at int) (found []span) {
	var few [mostCells]arg
	columns := arguments(few[:0], s, first)
	column, said := -1, sense{}
	for i, c := range columns {
		if c.from <= at && at < c.to {
			column, said = i, senseOf(strings.Trim(s[c.from:c.to], "\"`[] "))
		}
	}
	if column < 0 || said.rule == nil || said.how == meta {
		return nil
	}
	for i, n := columns[len(columns)-1].to+1, 0; n < mostRows; n++ {
		row := strings.IndexByte(clip(s[i:], longestBlank), '(') + 1
		if between := strings.Trim(s[i:i+max(row-1, 0)], " \t\r\n,"); row == 0 || !strings.EqualFold(between, "values") && (between != "" || n == 0) {
			break // what follows is no row
		}
		values := arguments(nil, s, i+row)
		if len(values) != len(columns) {
			break
		}
		if from, to := values[column].literal(s); from >= 0 && said.tells(s[from:to]) {
			found = append(found, span{from: from, to: to, rule: said.rule})
		}
		i = values[len(values)-1].to + 1
	}
	return found
}
