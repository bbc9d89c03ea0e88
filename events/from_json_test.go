package events_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

func TestFromJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]events.Event{
		`phase.planned {"next":"test it"}`:            events.PhasePlanned{Next: "test it"},
		"phase.planned \n {\"next\":\"test it\"}\t\n": events.PhasePlanned{Next: "test it"},
		`phase.planned`:                         events.PhasePlanned{},
		"phase.planned  \n":                     events.PhasePlanned{},
		`phase.planned {}`:                      events.PhasePlanned{},
		`phase.planned null`:                    events.PhasePlanned{},
		`compound.finished {"promoted":3}`:      events.CompoundFinished{Promoted: 3},
		`decision.recorded {"text":"짧게\u3042"}`: events.DecisionRecorded{Text: "짧게あ"},
		`todos.written {"todos":[{"text":"a","status":"pending"}]}`:    events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "pending"}}},
		`port.defined {"port":"p","items":["a","b"],"after":["q"]}`:    events.PortDefined{Port: "p", Items: []string{"a", "b"}, After: []string{"q"}},
		`usage.sampled {"percent":81,"tokens":162000,"window":200000}`: events.UsageSampled{Percent: 81, Tokens: 162_000, Window: 200_000},
	} {
		name, data, _ := strings.Cut(in, " ")
		got, err := events.FromJSON(events.Type(name), []byte(data))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", in, err, diff)
		}
	}
}

// TestFromJSONRefuses: a refusal names the offending field, or lists the known fields if no single one is to blame.
func TestFromJSONRefuses(t *testing.T) {
	t.Parallel()
	for in, tc := range map[string]struct {
		err  error
		says []string
	}{
		`moon.seen {}`:                                         {events.ErrUndeclared, []string{`"moon.seen"`}},
		` {}`:                                                  {events.ErrUndeclared, nil},
		`command.ran {"command":"ls"}`:                         {events.ErrNotAppendable, []string{"command.ran"}},
		`recovery.sent {}`:                                     {events.ErrNotAppendable, []string{"recovery.sent"}},
		`compaction.completed {}`:                              {events.ErrNotAppendable, []string{"compaction.completed"}},
		`project.seen {"root":"/"}`:                            {events.ErrNotAppendable, []string{"project.seen"}},
		`phase.planned {"nxt":"x"}`:                            {events.ErrMalformed, []string{`"nxt"`, "fields: next"}},
		`phase.planned {"next":1}`:                             {events.ErrMalformed, []string{`"next"`, "number"}},
		`compound.finished {"promoted":"3"}`:                   {events.ErrMalformed, []string{`"promoted"`, "string"}},
		`compound.finished {"promoted":1.5}`:                   {events.ErrMalformed, []string{`"promoted"`, "1.5"}},
		`compound.finished {"promoted":9223372036854775808}`:   {events.ErrMalformed, []string{`"promoted"`}},
		`todos.written {"todos":[{"text":"a","status":true}]}`: {events.ErrMalformed, []string{"status", "bool"}},
		`phase.planned ["next"]`:                               {events.ErrMalformed, []string{"fields: next"}},
		`phase.planned {"next":"x"`:                            {events.ErrMalformed, []string{"fields: next"}},
		`phase.planned {"next":"x"} {}`:                        {events.ErrMalformed, []string{"more than one"}},
		`phase.planned {"next":"x"}}`:                          {events.ErrMalformed, []string{"more than one"}},
		`phase.planned {"next":"x"}]`:                          {events.ErrMalformed, []string{"more than one"}},
		`phase.planned {"next":"x"} x`:                         {events.ErrMalformed, []string{"more than one"}},
		`decision.recorded`:                                    {events.ErrMalformed, []string{"text is empty"}},
		`decision.recorded {"text":" "}`:                       {events.ErrMalformed, []string{"text is empty"}},
		`checkpoint.recorded {}`:                               {events.ErrMalformed, []string{"summary"}},
		`phase.entered {"skill":"s"}`:                          {events.ErrMalformed, []string{"phase"}},
		`phase.completed {}`:                                   {events.ErrMalformed, []string{"phase"}},
		`skill.ended {"status":"lost"}`:                        {events.ErrMalformed, []string{"finished", "discarded"}},
		`port.defined {}`:                                      {events.ErrMalformed, []string{"port"}},
		`port.ticked {"port":"p"}`:                             {events.ErrMalformed, []string{"item"}},
		`port.ticked {"item":"i"}`:                             {events.ErrMalformed, []string{"port"}},
		`port.changed {"port":"p","status":"done"}`:            {events.ErrMalformed, []string{"complete"}},
		`port.changed {"status":"running"}`:                    {events.ErrMalformed, []string{"port"}},
	} {
		name, data, _ := strings.Cut(in, " ")
		e, err := events.FromJSON(events.Type(name), []byte(data))
		if !errors.Is(err, tc.err) {
			t.Errorf("%s: %+v, error %v; want %v", in, e, err, tc.err)
			continue
		}
		for _, word := range tc.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %s", in, err, word)
			}
		}
		if strings.Contains(err.Error(), "events.") {
			t.Errorf("%s: %q speaks of Go", in, err)
		}
	}
}
