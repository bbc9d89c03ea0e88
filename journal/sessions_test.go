package journal_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal"
)

// A session is found by a beginning of its id that no other has, where most of it happened.
func TestSessions(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	for _, m := range []events.Meta{
		{Project: "p", Session: "4f1c"}, {Project: "p", Session: "4f1c"}, {Project: "q", Session: "4f1c"},
		{Project: "p", Session: "4f"}, {Project: "q", Session: "a77e"}, {Project: "p", Session: events.None},
	} {
		put(t, l, eventstest.Wrap(t, events.PromptSubmitted{Text: "x"}, m))
	}
	all, err := l.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byAgent := func(project, id string, n uint64) journal.Session {
		return journal.Session{Project: project, ID: id, Events: n, ByAgent: true, Asked: true}
	}
	want := []journal.Session{byAgent("p", "4f", 1), byAgent("p", "4f1c", 2), byAgent("q", "4f1c", 1), byAgent("q", "a77e", 1)}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	for prefix, want := range map[string]journal.Session{"4f": byAgent("p", "4f", 1), "4f1": byAgent("p", "4f1c", 2), "a": byAgent("q", "a77e", 1)} {
		if got, err := journal.FindSession(journal.InMainProjects(all), prefix); err != nil || got != want {
			t.Errorf("%s: %+v, error %v", prefix, got, err)
		}
	}
	_, err = journal.FindSession(journal.InMainProjects(all), "b")
	testutil.WantError(t, err, journal.ErrNoSession)
	if _, err = journal.FindSession(journal.InMainProjects(all), ""); err == nil {
		t.Error("an empty beginning names one of three")
	}
}

// The prefix of an id means the session of an agent, not one that was recorded by hand under the prefix
// itself, and the session, not the parts that an import added to it.
func TestNamed(t *testing.T) {
	t.Parallel()
	byHand := func(id string) journal.Session { return journal.Session{ID: id} }
	byAgent := func(id string) journal.Session { return journal.Session{ID: id, ByAgent: true} }
	for name, c := range map[string]struct {
		all   []journal.Session
		given string
		want  string // empty: not one
	}{
		"a whole id":                      {[]journal.Session{byAgent("abc"), byAgent("abcd")}, "abc", "abc"},
		"a beginning":                     {[]journal.Session{byAgent("abc"), byAgent("x")}, "a", "abc"},
		"of two":                          {[]journal.Session{byAgent("abc"), byAgent("abd")}, "ab", ""},
		"of none":                         {[]journal.Session{byAgent("abc")}, "b", ""},
		"recorded by hand":                {[]journal.Session{byHand("abcd1234"), byAgent("abcd1234-5678")}, "abcd", "abcd1234-5678"},
		"recorded by hand, whole":         {[]journal.Session{byHand("abcd1234"), byAgent("abcd1234-5678")}, "abcd1234", "abcd1234-5678"},
		"recorded by hand alone":          {[]journal.Session{byHand("abcd1234"), byHand("abcd12345")}, "abcd1234", "abcd1234"},
		"recorded by hand, two of agents": {[]journal.Session{byHand("ab"), byAgent("abc"), byAgent("abd")}, "ab", ""},
		"parts":                           {[]journal.Session{byAgent("abc"), byAgent("abc~1"), byAgent("abc~2")}, "ab", "abc"},
		"a part":                          {[]journal.Session{byAgent("abc"), byAgent("abc~1"), byAgent("abc~2")}, "ab~2", "abc~2"},
		"a part that is not there":        {[]journal.Session{byAgent("abc"), byAgent("abc~1")}, "ab~2", ""},
		"a part without its session":      {[]journal.Session{byAgent("abc~1"), byAgent("x")}, "ab", "abc~1"},
		"nothing, of one":                 {[]journal.Session{byAgent("abc")}, "", "abc"},
		"a beginning of two and a whole":  {[]journal.Session{byAgent("ab"), byAgent("abc"), byAgent("abd")}, "ab", "ab"},
	} {
		got, err := journal.FindSession(c.all, c.given)
		if got.ID != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, error %v, want %q", name, got.ID, err, c.want)
		}
	}
}

// The short id of every session of an agent identifies it among all.
func TestShortIDs(t *testing.T) {
	t.Parallel()
	id := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("ab-한")), 1, 14, -1).Draw(t, "session") + rapid.SampledFrom([]string{"", "", "~1"}).Draw(t, "part")
	})
	rapid.Check(t, func(t *rapid.T) {
		var all []journal.Session
		for _, one := range rapid.SliceOfNDistinct(id, 1, 8, rapid.ID).Draw(t, "ids") {
			all = append(all, journal.Session{ID: one, ByAgent: true})
		}
		for whole, short := range journal.ShortIDs(all) {
			if got, err := journal.FindSession(all, short); err != nil || got.ID != whole || !utf8.ValidString(short) {
				t.Fatalf("%q of %q names %q, error %v", short, whole, got.ID, err)
			}
		}
	})
	for id, want := range map[string]string{"10cf952f-5ea0": "10cf952f", "10cf952f-5ea0~2": "10cf952f~2", "s1": "s1", "": ""} {
		if got := journal.ShortID(id); got != want {
			t.Errorf("%q is %q for short", id, got)
		}
	}
}
