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
	// Path names the value: members by name, items of a list by their identity, since their indexes shift: todos[Write
	// the tests].status.
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
	// Item is the list item that contains the value, as in the second state; nil outside of lists, and for an item that
	// was added or removed.
	Item json.RawMessage `json:"-"`
}

// DiffStates compares the states of projections by name. Projections without a change are left out.
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

// Diff lists the changes that turn one state of a projection into another, in path order. Both states must encode as
// JSON. Equal states have no changes. It returns an error if a state cannot be encoded.
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

// Canonical returns a JSON value as changes spell it. Invalid JSON is returned as it is.
func Canonical(b json.RawMessage) json.RawMessage {
	v, err := generic(b)
	if err != nil {
		return b
	}
	return raw(v)
}

// generic encodes and decodes a value as JSON. Numbers stay as written.
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

func compare(changes []Change, path string, a, b any) []Change {
	if empty(a) && empty(b) {
		return changes
	}
	am, aIs := a.(map[string]any)
	bm, bIs := b.(map[string]any)
	if aIs && bIs {
		return compareMembers(changes, path, am, bm)
	}
	al, aIs := a.([]any)
	bl, bIs := b.([]any)
	if (aIs || a == nil) && (bIs || b == nil) && (aIs || bIs) {
		return compareItems(changes, path, al, bl)
	}
	left, right := raw(a), raw(b)
	if bytes.Equal(left, right) {
		return changes
	}
	return append(changes, Change{Op: Changed, Path: path, From: left, To: right})
}

// empty reports whether a value holds nothing: nil and an empty list are equal.
func empty(v any) bool {
	l, isList := v.([]any)
	return v == nil || isList && len(l) == 0
}

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

// compareItems pairs the items of two lists by identity: first the removed items, then the new list in its order.
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

// maxIdentity bounds an identity within a path, in bytes.
const maxIdentity = 80

// identities returns a unique name for each item of a list.
func identities(items []any) []string {
	names := make([]string, len(items))
	seen := map[string]int{}
	for i, item := range items {
		names[i] = identity(item)
		if seen[names[i]]++; seen[names[i]] > 1 {
			names[i] += " (" + strconv.Itoa(seen[names[i]]) + ")"
		}
	}
	return names
}

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

func clip(s string) string {
	if len(s) <= maxIdentity {
		return s
	}
	return s[:text.Before(s, maxIdentity)] + "…"
}

func raw(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // v was decoded from JSON
	return bytes.TrimSpace(b.Bytes())
}
