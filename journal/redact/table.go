package redact

import (
	"cmp"
	"strings"
)

// This file decides which values below the name of a column are secret: in CSV, tables of Markdown and of databases, INSERT
// … VALUES.

const mostRows = 64

// columnValues finds the values below the heading that the keyword belongs to.
func columnValues(s string, at, end int) (found []span) {
	after := end + (word | gap).run(clip(s[end:], longestWord))
	after += leading(clip(s[after:], longestBlank), " \"'`*")
	rest := s[after:]
	column := rest == "" || strings.IndexByte(",|\t;\r\n)", rest[0]) >= 0 || len(rest) > 1 && rest[0] == ':' && rest[1] != ' ' && colonHeading(s, at) != ""
	switch {
	case !column && strings.IndexByte(":={[]", rest[0]) >= 0 && (len(rest) == 1 || strings.IndexByte(" {[\r\n", rest[1]) >= 0):
		return sectionValues(s, at, end)
	case !column:
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
	sep             string // what parts its cells
	column, columns int    // that of the secrets, and how many there are
	nameSense       sense  // of its name
	rows            int    // where they begin
}

// tableAt returns the table in whose heading s[at] is. What stands at after follows the name of the column.
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
	if t.sep == "" || t.rows == len(s) || fields(name[strings.LastIndex(name, t.sep)+1:]) > 3 || !tableBegins(above, t.sep) {
		return t, false
	}
	var few [mostCells]arg
	cells, named := cellsOf(few[:0], head, t.sep), 0
	t.column, t.columns = -1, len(cells)
	for i, c := range cells {
		name := strings.Trim(head[c.from:c.to], "\"'`*")
		named += min(len(name), 1)
		if begin+c.from <= at && at < begin+c.to {
			t.column, t.nameSense = i, senseOf(name)
		}
	}
	return t, t.column >= 0 && named > 1 && (t.nameSense.strong() || t.nameSense.how == byChance || t.nameSense.how == byToken)
}

// values finds the secrets in the rows.
func (t table) values(s string) (found []span) {
	var few [mostCells]arg
	for i, n := t.rows, 0; n < mostRows && i < len(s); n++ {
		i += prefixOf(s[i:], "\r\n", "\n", "\r")
		line, begin := s[i:lineEnd(s, i)], i
		i += len(line)
		cells := cellsOf(few[:0], line, t.sep)
		head, remark := strings.CutPrefix(line, "# ")
		switch {
		case len(cells) != t.columns && line != "" && strings.Trim(line, "+-=|: ") == "":
			continue // a rule
		case len(cells) != t.columns, remark && t.sep == ":" && (lower | underscore | colon).only(head):
			return found // or the next heading, whose rows are its own: else many of them take a second
		}
		cell := line[cells[t.column].from:cells[t.column].to]
		if v := strings.Trim(cell, "\"'`*"); t.tells(v) {
			from := begin + cells[t.column].from + strings.Index(cell, v)
			found = append(found, span{from: from, to: from + len(v), rule: t.nameSense.rule})
		}
	}
	return found
}

// tells reports whether a cell of the column is a secret. What only blanks part must look like one.
func (t table) tells(v string) bool {
	if strings.TrimSpace(t.sep) == "" && t.sep != "\t" && !t.nameSense.isSecretAnywhere(v) && !chosenWord(v) {
		return false
	}
	long := t.nameSense.how == byName && lower.in(v) > 0 && len(v) >= longWord && !codeName(v)
	return t.nameSense.isSecret(v) && (phrase(v) || fields(v) == 1 && (long || !letters.only(v) || chosenWord(v)))
}

// colonHeading returns the end of the line of s[at] when it is names that colons part, in a comment: # user:password:level.
func colonHeading(s string, at int) string {
	begin := at - len((lower | underscore | colon).tail(s[max(0, at-usualWindow):at]))
	names := s[begin:lineEnd(clip(s, at+longestName), at)]
	if !strings.HasSuffix(s[:begin], "# ") || !(lower | underscore | colon).only(names) || !strings.Contains(names, ":") {
		return ""
	}
	return names
}

// separatorOf returns what parts the cells of a line.
func separatorOf(line string) string {
	for _, sep := range [...]string{"|", "\t\t", "\t", ",", ";", "  "} { // any number of tabs, and of blanks
		if strings.Contains(line, sep) {
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
	parts := func(i int) bool {
		if line[i] != sep[0] || i > from && line[i-1] == '\\' && sep == "|" {
			return false
		}
		return len(sep) == 1 || sep == "\t\t" || i > from && strings.HasPrefix(line[i:], sep) && strings.TrimSpace(line[from:i]) != ""
	}
	for i := 0; i <= len(line) && len(cells) < mostCells; i++ {
		switch {
		case i == from && i < len(line) && sep == "\t\t" && line[i] == '\t':
			from = i + 1
		case i == len(line), quoted == 0 && parts(i):
			a, b := trimmed(line[from:i])
			cells = append(cells, arg{from + a, from + b})
			from = i + 1
		case line[i] == quoted:
			quoted = 0
		case quoted == 0 && (line[i] == '"' || line[i] == '\'') && strings.TrimSpace(line[from:i]) == "":
			quoted = line[i]
		}
	}
	return cells
}

// insertedValues finds the values that SQL inserts into the column at: INSERT INTO users (name, password) VALUES ('x', '…').
func insertedValues(s string, first, at int) (found []span) {
	var few [mostCells]arg
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
