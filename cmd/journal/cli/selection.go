package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"journal/events"
	"journal/journal"
)

// Selection says which events of the log a verb is about; empty is all of them.
type Selection struct {
	Session string // id or unique prefix
	Project string // directory or key
	Type    string
}

// Selectors makes the selectors of the flags; none is everything.
func Selectors(ctx context.Context, a *App, log *journal.Log, f Selection) ([]events.Selector, error) {
	sel := events.Selector{Type: events.Type(f.Type)}
	if f.Project != "" {
		sel.Project = a.ProjectIn(ctx, log, f.Project)
	}
	if f.Session != "" {
		t, err := a.Target(ctx, log, TargetFlags{Session: f.Session})
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

// DeclaredType says whether there are events of a type.
func DeclaredType(typ events.Type) bool {
	return slices.ContainsFunc(events.Declared(), func(d events.Declaration) bool { return d.Name == typ })
}

// UnknownType names the declared types that a mistyped one may have meant.
func UnknownType(typ string) error {
	var names []string
	for _, d := range events.Declared() {
		names = append(names, string(d.Name))
	}
	return fmt.Errorf("no event has the type %q%s", typ, cmp.Or(DidYouMean(typ, names), " (journal events lists them)"))
}
