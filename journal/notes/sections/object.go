package sections

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// Bounds of the labels of an object: a compiler's result has some dozens of files.
const (
	maxLabels   = 4000    // labels of all members
	maxElements = 1000    // elements of one list, so that members after it have room
	maxValue    = 1 << 10 // bytes of a name or a value
)

// Members returns members of a JSON object as labels: the members with these names, in this order, or all
// members, sorted by name. Each element of a list is a label with the list's name. The label of a member
// of a member, or of an element, has both names with a dot between. Null and deeper values are left out.
// gap describes what the bounds leave out, or a text that does not begin with an object: then labels is nil.
func Members(object string, names ...string) (labels []events.Label, gap string) {
	var members map[string]any
	dec := json.NewDecoder(strings.NewReader(object))
	dec.UseNumber()
	if dec.Decode(&members) != nil || members == nil {
		return nil, gapMalformed
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(members))
	}
	f := flattener{labels: []events.Label{}}
	for _, name := range names {
		f.add(name, members[name], 1)
	}
	if f.omitted > 0 {
		gap = text.Counted(f.omitted, "member") + " left out"
	}
	return f.labels, gap
}

// flattener makes labels of values, and counts the values over the bounds.
type flattener struct {
	labels  []events.Label
	omitted int
}

// add adds the labels of a value. depth is the number of levels of objects that add still enters.
func (f *flattener) add(name string, value any, depth int) {
	switch v := value.(type) {
	case map[string]any:
		if depth == 0 {
			return
		}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			f.add(name+"."+member, v[member], depth-1)
		}
	case []any:
		if n := len(v) - maxElements; n > 0 {
			f.omitted += n
			v = v[:maxElements]
		}
		for _, element := range v {
			f.add(name, element, depth)
		}
	case string, json.Number, bool:
		if len(f.labels) == maxLabels {
			f.omitted++
			return
		}
		f.labels = append(f.labels, events.Label{Name: text.Cut(name, maxValue, 0), Value: text.Cut(fmt.Sprint(v), maxValue, 0)})
	}
}

// labelsIn returns the labels of lines such as "**Phase**: review" and "- **Confirmed**: 2x". The colon may be within the
// stars. Lines in code fences do not count.
func labelsIn(s string) []events.Label {
	var all []events.Label
	fence := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		mark := fenceMark(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			if l, ok := labelIn(line); ok {
				all = append(all, l)
			}
		case strings.HasPrefix(mark, fence) && mark == line: // at least as long as the fence, and alone on its line
			fence = ""
		}
	}
	return all
}

// fenceMark returns the backticks or tildes at the beginning of a line if there are at
// least three, as in a code fence, else "".
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// labelIn returns the label of a line. ok is false if the line has none.
func labelIn(line string) (l events.Label, ok bool) {
	if bullet, rest, ok := strings.Cut(line, " "); ok && (bullet == "-" || bullet == "*" || bullet == "+") {
		line = strings.TrimLeft(rest, " \t")
	}
	rest, bold := strings.CutPrefix(line, "**")
	name, value, closed := strings.Cut(rest, "**")
	if !bold || !closed {
		return events.Label{}, false
	}
	name, inside := cutColon(name, strings.CutSuffix)
	if !inside {
		if value, ok = cutColon(strings.TrimLeft(value, " \t"), strings.CutPrefix); !ok {
			return events.Label{}, false
		}
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return events.Label{Name: name, Value: value}, name != ""
}

// cutColon removes a colon, also the wide colon of Chinese and Japanese text, by strings.CutPrefix or
// strings.CutSuffix. ok is false if s has no colon there.
func cutColon(s string, cut func(s, colon string) (string, bool)) (rest string, ok bool) {
	for _, colon := range []string{":", "："} {
		if rest, ok := cut(s, colon); ok {
			return rest, true
		}
	}
	return s, false
}
