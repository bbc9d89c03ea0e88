package peers

import (
	"context"
	"slices"

	"journal/embedded/team"
	"journal/embedded/team/facts"
)

// Facts returns the facts of members. The error names each member who could not be asked or is not believed; the result
// counts.
func (h *Hub) Facts(ctx context.Context, m team.Membership, members []string) (*facts.Cache, error) {
	known := facts.NewCache()
	known.Team = h.roster
	query := &facts.Query{NC: h.nc, Member: m, Only: []string{}, Rows: true, Keep: func(t facts.Summary) *facts.Summary { return &t }}
	for _, registered := range h.roster.Members {
		if slices.Contains(members, registered.Name) {
			query.Only = append(query.Only, registered.Account)
		}
	}
	return known, known.Fetch(ctx, query)
}
