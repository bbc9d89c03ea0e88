package peers

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

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

// Summaries is Facts, and lists the devices that share something and have no facts yet. Both are asked at once.
func (h *Hub) Summaries(ctx context.Context, m team.Membership, members []string) (known *facts.Cache, silent []Copy, err error) {
	var work errgroup.Group
	work.SetLimit(atOnce)
	var trouble error
	work.Go(func() error {
		known, trouble = h.Facts(ctx, m, members)
		return nil
	})
	listed := make([]error, len(members))
	shares := make([][]string, len(members))
	for i, name := range members {
		work.Go(func() error {
			shares[i], listed[i] = h.devices(ctx, name)
			return nil
		})
	}
	_ = work.Wait() // each has its own error
	for i, name := range members {
		for _, device := range shares[i] {
			if !slices.ContainsFunc(known.All(), func(f *facts.Fact) bool { return f.Member == name && f.Device == device }) {
				silent = append(silent, Copy{Member: name, Device: device})
			}
		}
	}
	return known, silent, errors.Join(trouble, errors.Join(listed...))
}

// devices lists the devices of a member of which the hub has a copy.
func (h *Hub) devices(ctx context.Context, member string) (all []string, err error) {
	registered, err := h.who(member)
	if err != nil {
		return nil, err
	}
	subjects, err := h.subjects(ctx, registered)
	for _, subject := range subjects {
		_, device, _, _ := team.SubjectOf(subject)
		all = append(all, device)
	}
	return slices.Compact(all), err
}
