package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"journal/events"
	"journal/journal"
)

// selection says which events of the log a verb is about; empty is all of them.
type selection struct {
	session string // id or unique prefix
	project string // directory or key
	typ     string
}

// selectors makes the selectors of the flags; none is everything.
func selectors(ctx context.Context, a *app, log *journal.Log, f selection) ([]events.Selector, error) {
	sel := events.Selector{Type: events.Type(f.typ)}
	if f.project != "" {
		sel.Project = a.projectKey(f.project)
	}
	if f.session != "" {
		t, err := a.target(ctx, log, targetFlags{session: f.session})
		if err != nil {
			return nil, err
		}
		sel.Session = t.Session
	}
	if sel == (events.Selector{}) {
		return nil, nil
	}
	return []events.Selector{sel}, nil
}

func declaredType(typ events.Type) bool {
	return slices.ContainsFunc(events.Declared(), func(d events.Declaration) bool { return d.Name == typ })
}

// unknownType names the declared types that a mistyped one may have meant.
func unknownType(typ string) error {
	var names []string
	for _, d := range events.Declared() {
		names = append(names, string(d.Name))
	}
	return fmt.Errorf("no event has the type %q%s", typ, cmp.Or(didYouMean(typ, names), " (journal events lists them)"))
}
