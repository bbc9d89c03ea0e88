package events

import "testing"

// TestFurtherID: the ids of events reported with a first one follow from its id and are unique; they differ from ids
// derived from words.
func TestFurtherID(t *testing.T) {
	t.Parallel()
	first, other := NewID(), NewID()
	ids := map[string]string{first: "first"}
	for name, id := range map[string]string{
		"1": FurtherID(first, "1"), "2": FurtherID(first, "2"), "file": FurtherID(first, "file", "1"), "other": FurtherID(other, "1"),
	} {
		if was, there := ids[id]; there || Derived(id) || len(id) != 36 {
			t.Errorf("%s: %s, which is that of %q", name, id, was)
		}
		ids[id] = name
	}
	if one, again := FurtherID(first, "1"), FurtherID(first, "1"); one != again || one[:13] != first[:13] {
		t.Errorf("%s: %s, %s", first, one, again)
	}
}
