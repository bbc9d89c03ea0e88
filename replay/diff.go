package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"journal/events/text"
)

// The kinds of Change.
const (
	Added   = "add"
	Removed = "remove"
	Changed = "change"
)

// Change is one difference between two states of a projection. Its JSON form is that of `journal replay --diff --json`.
type Change struct {
	Op string `json:"op"` // add, remove, change
	// Path names the value by names of members and identities of list items, because their indexes shift: todos[Write the
	// tests].status.
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	// Item is the innermost list item that contains the value but is not the value itself, as in the second state; nil for none.
	Item json.RawMessage `json:"-"`
}

// DiffStates compares the states of projections by name; to has the names. Projections without a change are left out.
func DiffStates(from, to map[string]any) (map[string][]Change, error) {
	diff := map[string][]Change{}
	for name, state := range to {
		changes, err := Diff(from[name], state)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(changes) > 0 {
			diff[name] = changes
		}
	}
	return diff, nil
}

// Diff lists the changes that turn one state of a projection into another: members in the order of their names, and of a list the
// removed items before those of the new list. Equal states have no changes. It returns an error if a state cannot be encoded as JSON.
func Diff(from, to any) ([]Change, error) {
	a, err := generic(from)
	if err != nil {
		return nil, err
	}
	b, err := generic(to)
	if err != nil {
		return nil, err
	}
	changes := []Change{}
	return compare(changes, "", a, b), nil
}

// generic returns a value as JSON decodes it into an any, with numbers as json.Number.
func generic(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("compare states: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("compare states: %w", err)
	}
	return out, nil
}

// compare appends the changes between two values at a path.
func compare(changes []Change, path string, a, b any) []Change {
	if empty(a) && empty(b) {
		return changes
	}
	aMap, aIsMap := a.(map[string]any)
	bMap, bIsMap := b.(map[string]any)
	if aIsMap && bIsMap {
		return compareMembers(changes, path, aMap, bMap)
	}
	aList, aIsList := a.([]any)
	bList, bIsList := b.([]any)
	if (aIsList || a == nil) && (bIsList || b == nil) {
		return compareItems(changes, path, aList, bList)
	}
	left, right := raw(a), raw(b)
	if bytes.Equal(left, right) {
		return changes
	}
	return append(changes, Change{Op: Changed, Path: path, From: left, To: right})
}

// empty reports whether a value is nil or an empty list, which are equal.
func empty(v any) bool {
	l, isList := v.([]any)
	return v == nil || isList && len(l) == 0
}

// compareMembers appends the changes between two objects, in the order of the members' names.
func compareMembers(changes []Change, path string, a, b map[string]any) []Change {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		memberPath := name
		if path != "" {
			memberPath = path + "." + name
		}
		av, inA := a[name]
		bv, inB := b[name]
		switch {
		case inA && inB:
			changes = compare(changes, memberPath, av, bv)
		case inA && !empty(av):
			changes = append(changes, Change{Op: Removed, Path: memberPath, From: raw(av)})
		case inB && !empty(bv):
			changes = append(changes, Change{Op: Added, Path: memberPath, To: raw(bv)})
		}
	}
	return changes
}

// compareItems appends the changes between two lists, whose items it pairs by identity: first the removed items, then those of
// the new list in its order.
func compareItems(changes []Change, path string, a, b []any) []Change {
	ak, bk := identities(a), identities(b)
	for i, key := range ak {
		if !slices.Contains(bk, key) {
			changes = append(changes, Change{Op: Removed, Path: path + "[" + key + "]", From: raw(a[i])})
		}
	}
	for j, key := range bk {
		itemPath := path + "[" + key + "]"
		if i := slices.Index(ak, key); i >= 0 {
			before := len(changes)
			changes = compare(changes, itemPath, a[i], b[j])
			for k := before; k < len(changes); k++ {
				if changes[k].Item == nil {
					changes[k].Item = raw(b[j])
				}
			}
		} else {
			changes = append(changes, Change{Op: Added, Path: itemPath, To: raw(b[j])})
		}
	}
	return changes
}

// identifying lists the members that can identify a list item, the best first.
var identifying = []string{"id", "path", "text", "command", "heading", "phase", "name", "seq"}

// maxIdentity bounds an identity within a path, in bytes; a longer one ends with an ellipsis.
const maxIdentity = 80

// identities returns a unique name for each item of a list.
func identities(items []any) []string {
	names := make([]string, len(items))
	used, repeated := map[string]bool{}, map[string]int{} // repeated counts on, because a list may have thousands of equal items
	for i, item := range items {
		name := identity(item)
		names[i] = name
		for used[names[i]] {
			repeated[name]++
			names[i] = name + " (" + strconv.Itoa(repeated[name]+1) + ")"
		}
		used[names[i]] = true
	}
	return names
}

// identity returns a name for a list item: its first identifying member, else its JSON.
func identity(item any) string {
	m, ok := item.(map[string]any)
	if !ok {
		return clip(string(raw(item)))
	}
	for _, name := range identifying {
		switch v := m[name].(type) {
		case string:
			if v != "" {
				return clip(v)
			}
		case json.Number:
			return "#" + v.String()
		}
	}
	return clip(string(raw(item)))
}

// clip cuts an identity after maxIdentity bytes.
func clip(s string) string {
	if len(s) <= maxIdentity {
		return s
	}
	return s[:text.Before(s, maxIdentity)] + "…"
}

// raw encodes a result of generic.
func raw(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // v was decoded from JSON
	return bytes.TrimSpace(b.Bytes())
}
