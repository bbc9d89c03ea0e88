package peers

import (
	"context"
	"slices"

	"journal/journal/team"
	"journal/journal/team/facts"
)

// Facts gives what the members that are named tell, nil for all; what the owner of a journal directory has seen of them
// already may not be newer. The error names each member who could not be asked or is not believed; the result counts.
func (h *Hub) Facts(ctx context.Context, journal string, m team.Membership, members []string) (*facts.Known, error) {
	known, err := facts.Load(journal)
	if err != nil {
		return known, err
	}
	known.Team = h.register
	known.Again()
	for _, f := range known.All() {
		f.Told = nil
	}
	look := &facts.Look{NC: h.nc, Member: m, Only: []string{}, Keep: func(t facts.Told) *facts.Told { return &t }}
	for _, who := range h.register.Members {
		if members == nil || slices.Contains(members, who.Name) {
			look.Only = append(look.Only, who.Account)
		}
	}
	_, err = known.Look(ctx, look)
	return known, err
}
