package look

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/projections"
)

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("events", "the types of events; projections: the states made of them",
		`Lists every event type that this program declares, with its version and fields. journal append
takes the types that are marked with +.

journal projections lists every projection: a state that is computed from events.
journal replay shows it.

Exit codes: 0; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if c.CalledAs() == "projections" {
				return listProjections(a)
			}
			return listEvents(a)
		})
	c.Aliases = []string{"projections"}
	return a.JSONFlag(c)
})

// listEvents prints the types of events.
func listEvents(a *cli.App) error {
	docs := events.Declared()
	return a.Print(docs, func() {
		a.Table(func(row func(...any)) {
			for _, d := range docs {
				mark := "  "
				if d.Appendable {
					mark = "+ "
				}
				var names []string
				for _, f := range d.Fields {
					names = append(names, f.Name)
				}
				row(mark+string(d.Name), fmt.Sprint("v", d.Version), d.Doc, strings.Join(names, " "))
			}
		})
	})
}

// listProjections prints the projections.
func listProjections(a *cli.App) error {
	type read struct {
		Type  events.Type `json:"type"`
		Scope string      `json:"scope"`
	}
	type doc struct {
		Name    string `json:"name"`
		Version int    `json:"version"`
		Scope   string `json:"scope"`
		Doc     string `json:"doc"`
		Reads   []read `json:"reads"`
	}
	docs := []doc{}
	for _, p := range projections.All() {
		d := doc{p.Name(), p.Version(), p.Scope().String(), p.Doc(), nil}
		for _, r := range p.Reads() {
			d.Reads = append(d.Reads, read{r.Type, r.Scope.String()})
		}
		docs = append(docs, d)
	}
	return a.Print(docs, func() {
		a.Table(func(row func(...any)) {
			for _, d := range docs {
				row(d.Name, fmt.Sprint("v", d.Version), d.Scope, d.Doc)
			}
		})
	})
}
