package knowledge

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/events/text"
)

// logField is a field of a line of a structured log. The value is without quotes.
type logField struct{ key, value string }

// These lists name the fields of which a shortened line has the value alone.
var (
	timeFields    = strings.Fields("time ts timestamp @timestamp date")
	levelFields   = strings.Fields("level lvl severity")
	messageFields = strings.Fields("msg message event error err")
)

// minLog is the number of lines from which a log is shortened.
const minLog = 4

// shortLogs shortens the structured logs in a text: lines of JSON or of key=value pairs. The first of these lines stays
// whole. The others have the time, level and message, and the fields whose value differs between the lines or was not shown yet. The
// time is without the date if all are of one day. It returns "" for a text with fewer than minLog such lines.
func shortLogs(s string) string {
	lines := strings.Split(text.Trimmed(s), "\n")
	fields := make([][]logField, len(lines))
	number := 0
	values := map[logField]bool{}
	differ := map[string]int{} // number of values of each key
	days := map[string]bool{}
	for i, line := range lines {
		if fields[i] = logFields(line); fields[i] == nil {
			continue
		}
		number++
		for _, f := range fields[i] {
			if !values[f] {
				values[f] = true
				differ[f.key]++
			}
			if m := clock().FindStringSubmatch(f.value); m != nil && isKey(f.key, timeFields) {
				days[m[1]] = true
			}
		}
	}
	if number < minLog {
		return ""
	}
	shown := map[logField]bool{}
	for i, all := range fields {
		if len(shown) > 0 && all != nil {
			lines[i] = shortLine(all, len(days) == 1, func(f logField) bool { return differ[f.key] > 1 || !shown[f] })
		}
		for _, f := range all {
			shown[f] = true
		}
	}
	return strings.Join(lines, "\n")
}

// shortLine returns a line of a log with the fields that are needed, and without the date if all lines are of one day.
func shortLine(fields []logField, oneDay bool, needed func(logField) bool) string {
	var words []string
	for _, f := range fields {
		switch {
		case isKey(f.key, timeFields):
			if m := clock().FindStringSubmatch(f.value); m != nil && oneDay {
				f.value = m[2]
			}
			words = append(words, f.value)
		case isKey(f.key, messageFields), isKey(f.key, levelFields):
			words = append(words, f.value)
		case needed(f) && !slices.Contains(words, f.value): // it may repeat the message
			words = append(words, f.key+"="+f.value)
		}
	}
	return strings.Join(words, " ")
}

// clock matches a date and a time; its groups are the date and the time of the day.
var clock = text.Pattern(`^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,3})?)`)

// logFields returns the fields of a line of a structured log, each key once, nil for other lines.
func logFields(line string) []logField {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "{") {
		return jsonFields(line)
	}
	return pairFields(line)
}

// jsonFields returns the members of a JSON object in their order, nil for another line and for an object without a time or a message.
func jsonFields(line string) (fields []logField) {
	d := json.NewDecoder(strings.NewReader(line))
	if _, err := d.Token(); err != nil {
		return nil
	}
	isLog := false
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil
		}
		var words string
		if json.Unmarshal(value, &words) != nil {
			words = string(value)
		}
		isLog = isLog || isLogKey(name)
		fields = withField(fields, logField{name, text.Line(words)})
	}
	if _, err := d.Token(); err != nil || line[d.InputOffset():] != "" || !isLog {
		return nil
	}
	return fields
}

// isKey reports whether a key is one of some names.
func isKey(key string, names []string) bool { return slices.Contains(names, strings.ToLower(key)) }

// isLogKey reports whether a key is that of a time or a message.
func isLogKey(key string) bool { return isKey(key, timeFields) || isKey(key, messageFields) }

// logPair matches a key and its value in a line of a log.
var logPair = text.Pattern(`^([A-Za-z@][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?:\s+|$)`)

// pairFields returns the pairs of a line that consists of at least three pairs, one of them a time or a message; nil for another line.
func pairFields(line string) (fields []logField) {
	isLog := false
	for line != "" {
		m := logPair().FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		isLog = isLog || isLogKey(m[1])
		fields = withField(fields, logField{m[1], text.Line(strings.TrimSuffix(strings.TrimPrefix(m[2], `"`), `"`))})
		line = line[len(m[0]):]
	}
	if len(fields) < 3 || !isLog {
		return nil
	}
	return fields
}

// withField returns the fields with another one, unless they have its key.
func withField(fields []logField, f logField) []logField {
	if slices.ContainsFunc(fields, func(other logField) bool { return other.key == f.key }) {
		return fields
	}
	return append(fields, f)
}
