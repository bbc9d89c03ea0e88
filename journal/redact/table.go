package redact

import (
	"cmp"
	"strings"
)

// This file finds secrets in the columns of tables: CSV, Markdown, the output of databases, INSERT … VALUES.

// mostRows bounds the rows of a table that are examined.
const mostRows = 64

// columnValues finds the secrets in the column, or the section, whose name contains the keyword s[at:end].
func columnValues(s string, at, end int) (found []span) {
	after := end + (word | gap).run(clip(s[end:], longestWord))
	after += leading(clip(s[after:], longestBlank), " \"'`*")
	rest := s[after:]
	// In a heading, the end of the line, a separator or a bracket follows the name of a column.
	column := rest == "" || strings.IndexByte(",|\t;\r\n)", rest[0]) >= 0 || len(rest) > 1 && rest[0] == ':' && rest[1] != ' ' && colonHeading(s, at) != ""
	if !column {
		if strings.IndexByte(":={[]", rest[0]) >= 0 && (len(rest) == 1 || strings.IndexByte(" {[\r\n", rest[1]) >= 0) {
			return sectionValues(s, at, end)
		}
		return nil
	}
	begin := lineBegin(s, at)
	if i := strings.LastIndexByte(s[begin:at], '('); i >= 0 {
		return insertedValues(s, begin+i+1, at)
	}
	if t, ok := tableAt(s, at, after); ok {
		return t.values(s)
	}
	return nil
}

// table is a table with a column of secrets.
type table struct {
	sep       string // separator of cells
	column    int    // index of the column of secrets
	columns   int    // number of columns
	nameSense sense  // of the column's name
	rows      int    // index in the text of the line break before the rows
}

// tableAt returns the table whose heading contains s[at], in the name of a column that ends at after. ok is false if there is no
// such table, or the name of the column is too weak a sign of secrets.
func tableAt(s string, at, after int) (t table, ok bool) {
	begin := lineBegin(s, at)
	head, above := clip(s[begin:lineEnd(s, begin)], 2*usualWindow), s[:begin]
	t.sep, t.rows = separatorOf(head), begin+len(head)
	if after < len(s) && s[after] == ':' || at > 0 && s[at-1] == ':' {
		if names := colonHeading(s, at); names != "" {
			t.sep, above, head, begin = ":", "", names, t.rows-len(names)
		}
	}
	if rest, ok := strings.CutPrefix(head, "# "); ok {
		t.sep, head, begin = cmp.Or(t.sep, " "), rest, begin+len("# ")
	}
	name := head[:min(at-begin, len(head))]
	if t.sep == "" || t.rows == len(s) || wordCount(name[strings.LastIndex(name, t.sep)+1:]) > 3 || !tableBegins(above, t.sep) {
		return t, false
	}
	var few [mostCells]bounds
	cells, named := cellsOf(few[:0], head, t.sep), 0
	t.column, t.columns = -1, len(cells)
	for i, c := range cells {
		name := strings.Trim(head[c.from:c.to], "\"'`*")
		if name != "" {
			named++
		}
		if begin+c.from <= at && at < begin+c.to {
			t.column, t.nameSense = i, senseOf(name)
		}
	}
	return t, t.column >= 0 && named > 1 && (t.nameSense.strong() || t.nameSense.how == byRandom || t.nameSense.how == byToken)
}

// values returns the secrets in the column.
func (t table) values(s string) (found []span) {
	var few [mostCells]bounds
	for i, n := t.rows, 0; n < mostRows && i < len(s); n++ {
		i += prefixOf(s[i:], "\r\n", "\n", "\r")
		line, begin := s[i:lineEnd(s, i)], i
		i += len(line)
		cells := cellsOf(few[:0], line, t.sep)
		head, remark := strings.CutPrefix(line, "# ")
		switch {
		case len(cells) != t.columns && line != "" && strings.Trim(line, "+-=|: ") == "":
			continue // a line between rows
		case len(cells) != t.columns:
			return found // the table ends
		case remark && t.sep == ":" && (lower | underscore | colon).only(head):
			return found // another heading, whose rows are examined for its own names: else many headings take quadratic time
		}
		cell := line[cells[t.column].from:cells[t.column].to]
		if v := strings.Trim(cell, "\"'`*"); t.isSecret(v) {
			from := begin + cells[t.column].from + strings.Index(cell, v)
			found = append(found, span{from: from, to: from + len(v), rule: t.nameSense.rule})
		}
	}
	return found
}

// isSecret reports whether a cell of the column is a secret. If blanks separate the cells, it must look like a secret wherever it stands.
func (t table) isSecret(v string) bool {
	if strings.TrimSpace(t.sep) == "" && t.sep != "\t" && !t.nameSense.isSecretAnywhere(v) && !isChosenWord(v) {
		return false
	}
	long := t.nameSense.how == byName && lower.in(v) > 0 && len(v) >= longWord && !isCodeName(v)
	return t.nameSense.isSecret(v) && (isPhrase(v) || wordCount(v) == 1 && (long || !letters.only(v) || isChosenWord(v)))
}

// colonHeading returns the names of a heading in a comment if s[at] is in one, else "": # user:password:level.
func colonHeading(s string, at int) string {
	begin := at - len((lower | underscore | colon).tail(s[max(0, at-usualWindow):at]))
	names := s[begin:lineEnd(clip(s, at+longestName), at)]
	if !strings.HasSuffix(s[:begin], "# ") || !(lower | underscore | colon).only(names) || !strings.Contains(names, ":") {
		return ""
	}
	return names
}

// separatorOf returns the separator of a line's cells, or "".
func separatorOf(line string) string {
	for _, sep := range [...]string{"|", "\t\t", "\t", ",", ";", "  "} { // two tabs or blanks stand for two or more
		if strings.Contains(line, sep) {
			return sep
		}
	}
	return ""
}

// tableBegins reports whether a table can begin behind before: the last line of before must be no row, so it has no separator. A line
// of signs such as === does not count.
func tableBegins(before, sep string) bool {
	before = before[max(0, len(before)-usualWindow):]
	before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if line != "" && strings.Trim(line, "=- ") == "" {
		return tableBegins(before[:len(before)-len(line)], sep)
	}
	return !strings.Contains(line, sep)
}

// mostCells bounds the columns of a table.
const mostCells = 32

// cellsOf appends the bounds of a line's cells, without the blanks around them, up to mostCells. A separator within quotes belongs
// to its cell.
func cellsOf(cells []bounds, line, sep string) []bounds {
	from, quoted := 0, byte(0)
	separates := func(i int) bool {
		switch {
		case line[i] != sep[0], sep == "|" && i > from && line[i-1] == '\\':
			return false
		case len(sep) == 1, sep == "\t\t": // the loop skips further tabs
			return true
		}
		return strings.HasPrefix(line[i:], sep) && strings.TrimSpace(line[from:i]) != "" // further blanks belong to the next cell
	}
	for i := 0; i <= len(line) && len(cells) < mostCells; i++ {
		switch {
		case i == from && i < len(line) && sep == "\t\t" && line[i] == '\t':
			from = i + 1
		case i == len(line), quoted == 0 && separates(i):
			a, b := trimmed(line[from:i])
			cells = append(cells, bounds{from + a, from + b})
			from = i + 1
		case line[i] == quoted:
			quoted = 0
		case quoted == 0 && (line[i] == '"' || line[i] == '\'') && strings.TrimSpace(line[from:i]) == "":
			quoted = line[i]
		}
	}
	return cells
}

// insertedValues finds the values that SQL inserts into a column: INSERT INTO users (name, password) VALUES ('x', '…'). The names of
// the columns begin at first, and s[at] is in that of the column.
func insertedValues(s string, first, at int) (found []span) {
	var few [mostCells]bounds
	columns := arguments(few[:0], s, first)
	column, columnSense := -1, sense{}
	for i, c := range columns {
		if c.from <= at && at < c.to {
			column, columnSense = i, senseOf(strings.Trim(s[c.from:c.to], "\"`[] "))
		}
	}
	if column < 0 || columnSense.rule == nil || columnSense.how == meta {
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
		if from, to := values[column].literal(s); from >= 0 && columnSense.isSecret(s[from:to]) {
			found = append(found, span{from: from, to: to, rule: columnSense.rule})
		}
		i = values[len(values)-1].to + 1
	}
	return found
}
