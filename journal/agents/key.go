package agents

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents/payload"
)

// ToolKey is the occurrence key of a tool event: the agent gives every call an
// id of its own, so equal keys are one fact.
func ToolKey(agent, use, native string) string {
	return events.ToolKey + digest(agent, use, native)
}

// PayloadKey is the occurrence key of any other hook: a digest of all it said,
// in an order of our own since the agent's is not stable. Equal
// keys can be two facts; the owner decides by what lies between them.
func PayloadKey(agent, native string, p payload.Value) string {
	return events.PayloadKey + digest(agent, native, string(appendSorted(nil, p)))
}

// appendSorted appends the JSON of v with the members of objects sorted by name.
func appendSorted(b []byte, v payload.Value) []byte {
	switch v.Kind() {
	case payload.Object:
		type named struct {
			name  string
			value payload.Value
		}
		var members []named
		for name, value := range v.Members() {
			members = append(members, named{name, value})
		}
		slices.SortFunc(members, func(a, b named) int { return cmp.Compare(a.name, b.name) })
		b = append(b, '{')
		for _, m := range members {
			name, _ := json.Marshal(m.name) // strings always encode
			b = append(append(b, name...), ':')
			b = append(appendSorted(b, m.value), ',')
		}
		return append(b, '}')
	case payload.Array:
		b = append(b, '[')
		for item := range v.Items() {
			b = append(appendSorted(b, item), ',')
		}
		return append(b, ']')
	default:
		return append(b, v.JSON()...)
	}
}

func digest(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x02")))
	return hex.EncodeToString(sum[:8])
}
