package outline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// Bounds of the members of an object: a result of a compiler names some dozens of
// files.
const (
	maxMembers = 4000
	maxValue   = 1 << 10
)

// Members gives the members of a JSON object as labels, sorted by name; nil when it
// is no object. Each element of a list is a label of its own under the list's name;
// the members of members, and those of elements, have a dot in their names. What is
// null or nested deeper is left out.
func Members(object string) []events.Label {
	var members map[string]any
	dec := json.NewDecoder(strings.NewReader(object))
	dec.UseNumber()
	if dec.Decode(&members) != nil || members == nil {
		return nil
	}
	return flat([]events.Label{}, "", members, 2)
}

func flat(all []events.Label, name string, value any, depth int) []events.Label {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			if depth == 0 {
				break
			}
			full := member
			if name != "" {
				full = name + "." + member
			}
			all = flat(all, full, v[member], depth-1)
		}
	case []any:
		for _, element := range v {
			all = flat(all, name, element, depth)
		}
	case string, json.Number, bool:
		if len(all) < maxMembers {
			all = append(all, events.Label{Name: text.Cut(name, maxValue, 0), Value: text.Cut(fmt.Sprint(v), maxValue, 0)})
		}
	}
	return all
}
