package redact

import (
	"cmp"
	"strings"
)

// This file finds secrets in the columns of tables: CSV, Markdown, the output of databases, INSERT … VALUES.

// mostRows bounds the rows of a table that are examined.
const mostRows = 64

// columnValues finds the secrets in the column, or the section, whose name contains the keyword s[at:end].
func columnValues(s string, at, end int) []span {
	after := end + (word | gap).run(clip(s[end:], longestWord)) // index behind the name and the quotes around it
	after += leading(clip(s[after:], longestBlank), " \"'`*")
	if !endsColumnName(s, at, after) {
		if opensSection(s[after:]) {
			return sectionValues(s, at, end)
		}
		return nil
	}
	begin := lineBegin(s, at)
	if open := strings.LastIndexByte(s[begin:at], '('); open >= 0 {
		return insertedValues(s, begin+open+1, at)
	}
	if t, ok := tableAt(s, at, after); ok {
		return t.values(s)
	}
	return nil
}

// endsColumnName reports whether a column's name in a heading may end at s[after]: before the end of the line, a separator, or the
// bracket behind the columns of an INSERT. s[at] is in the name.
func endsColumnName(s string, at, after int) bool {
	rest := s[after:]
	if rest == "" || strings.IndexByte(",|\t;\r\n)", rest[0]) >= 0 {
		return true
	}
	return len(rest) > 1 && rest[0] == ':' && rest[1] != ' ' && colonHeading(s, at) != ""
}

// opensSection reports whether rest, which is the text behind a name and not empty, opens a section: with a sign or a bracket that a
// blank, a line break or another bracket follows.
func opensSection(rest string) bool {
	return strings.IndexByte(":={[]", rest[0]) >= 0 && (len(rest) == 1 || strings.IndexByte(" {[\r\n", rest[1]) >= 0)
}

// table is a table with a column of secrets.
type table struct {
	sep       string // separator of cells, as separatorOf returns it
	column    int    // index of the column of secrets
	columns   int    // number of columns
	nameSense sense  // of the column's name
	rows      int    // index in the text of the line break before the rows
}

// tableAt returns the table whose heading contains s[at], in the name of a column that ends before s[after]. ok is false if there is no
// such table, or if the name of the column is too weak a sign of secrets.
func tableAt(s string, at, after int) (t table, ok bool) {
	begin := lineBegin(s, at)
	heading, above := clip(s[begin:lineEnd(s, begin)], 2*usualWindow), s[:begin]
	t.sep, t.rows = separatorOf(heading), begin+len(heading)
	if after < len(s) && s[after] == ':' || at > 0 && s[at-1] == ':' {
		if names := colonHeading(s, at); names != "" {
			t.sep, above, heading, begin = ":", "", names, t.rows-len(names)
		}
	}
	if names, remark := strings.CutPrefix(heading, "# "); remark {
		t.sep, heading, begin = cmp.Or(t.sep, " "), names, begin+len("# ")
	}
	name := heading[:min(at-begin, len(heading))]
	if t.sep == "" || t.rows == len(s) || wordCount(name[strings.LastIndex(name, t.sep)+1:]) > 3 || !tableBegins(above, t.sep) {
		return t, false
	}
	var few [mostCells]bounds
	cells, named := cellsOf(few[:0], heading, t.sep), 0
	t.column, t.columns = -1, len(cells)
	for i, c := range cells {
		name := strings.Trim(heading[c.from:c.to], "\"'`*")
		if name != "" {
			named++
		}
		if begin+c.from <= at && at < begin+c.to {
			t.column, t.nameSense = i, senseOf(name)
		}
	}
	promising := t.nameSense.strong() || t.nameSense.how == byRandom || t.nameSense.how == byToken
	return t, t.column >= 0 && named > 1 && promising
}

// values returns the secrets in the column.
func (t table) values(s string) (found []span) {
	var few [mostCells]bounds
	for i, n := t.rows, 0; n < mostRows && i < len(s); n++ {
		i += prefixOf(s[i:], "\r\n", "\n", "\r")
		line, begin := s[i:lineEnd(s, i)], i
		i += len(line)
		cells := cellsOf(few[:0], line, t.sep)
		names, remark := strings.CutPrefix(line, "# ")
		switch {
		case len(cells) != t.columns && line != "" && strings.Trim(line, "+-=|: ") == "":
			continue // a line between rows
		case len(cells) != t.columns:
			return found // the table ends
		case remark && t.sep == ":" && (lower | underscore | colon).only(names):
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

// isSecret reports whether a cell of the column is a secret. If blanks or several tabs separate the cells, the line may be no row, so the
// cell must look like a secret wherever it stands.
func (t table) isSecret(v string) bool {
	doubtful := t.sep == " " || t.sep == twoBlanks || t.sep == twoTabs
	if doubtful && !t.nameSense.isSecretAnywhere(v) && !isChosenWord(v) {
		return false
	}
	long := t.nameSense.how == byName && lower.in(v) > 0 && len(v) >= longWord && !isCodeName(v)
	word := wordCount(v) == 1 && (long || !letters.only(v) || isChosenWord(v))
	return t.nameSense.isSecret(v) && (isPhrase(v) || word)
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

// Separators that stand for two or more blanks or tabs between cells.
const twoBlanks, twoTabs = "  ", "\t\t"

// separatorOf returns the separator of a line's cells, or "".
func separatorOf(line string) string {
	for _, sep := range [...]string{"|", twoTabs, "\t", ",", ";", twoBlanks} {
		if strings.Contains(line, sep) {
			return sep
		}
	}
	return ""
}

// tableBegins reports whether a table can begin below the text above: the last line above, which is no line of signs such as ===, has no
// separator, and so is no row.
func tableBegins(above, sep string) bool {
	above = above[max(0, len(above)-usualWindow):]
	above = strings.TrimSuffix(strings.TrimSuffix(above, "\n"), "\r")
	line := above[strings.LastIndexByte(above, '\n')+1:]
	if line != "" && strings.Trim(line, "=- ") == "" {
		return tableBegins(above[:len(above)-len(line)], sep)
	}
	return !strings.Contains(line, sep)
}

// mostCells bounds the columns of a table.
const mostCells = 32

// cellsOf appends the bounds of a line's cells, without the blanks around them, up to mostCells. A separator within quotes belongs
// to its cell.
func cellsOf(cells []bounds, line, sep string) []bounds {
	from, quoted := 0, byte(0) // where the cell begins, and the quote that is open at i
	for i := 0; i <= len(line) && len(cells) < mostCells; i++ {
		switch {
		case i == from && i < len(line) && sep == twoTabs && line[i] == '\t':
			from = i + 1 // a further tab of the separator
		case i == len(line), quoted == 0 && separates(line, from, i, sep):
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

// separates reports whether a separator begins at line[i], behind the cell that begins at from.
func separates(line string, from, i int, sep string) bool {
	switch {
	case line[i] != sep[0], sep == "|" && i > from && line[i-1] == '\\': // in Markdown, \| is no separator
		return false
	case sep == twoBlanks: // further blanks belong to the next cell, and are trimmed there
		return strings.HasPrefix(line[i:], sep) && strings.TrimSpace(line[from:i]) != ""
	}
	return true
}

// insertedValues finds the values that SQL inserts into a column: INSERT INTO users (name, password) VALUES ('x', '…'). The names of
// the columns begin at s[first], and s[at] is in that of the column.
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
	i := columns[len(columns)-1].to + 1
	for n := range mostRows {
		open := strings.IndexByte(clip(s[i:], longestBlank), '(')
		if open < 0 {
			break
		}
		before := strings.Trim(s[i:i+open], " \t\r\n,")
		if keyword := strings.EqualFold(before, "values"); !keyword && (n == 0 || before != "") {
			break // what follows is no row
		}
		values := arguments(nil, s, i+open+1)
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
