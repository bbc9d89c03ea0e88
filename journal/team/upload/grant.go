package upload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"journal/journal/team"
	"journal/journal/team/chunk"
	"journal/journal/team/grants"
	"journal/journal/team/peers"
)

// grant gives the hub who may read what of this device, before anything is shared that needs it, with what the hub has of
// it: the journal may have been restored.
func (v *session) grant(ctx context.Context, r team.Register) error {
	own, err := v.self()
	if err != nil {
		return err
	}
	for _, m := range r.Members {
		if m.Name == own.Name {
			own.Keys = append(own.Keys, m.Keys...) // also those before
		}
	}
	a, err := v.newestOf(ctx, grants.Subject(v.Member.Account, v.Member.Device))
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	var is grants.Given
	if a.Seq > 0 {
		is, err = grants.Read(a.Data, v.Member.Team, v.Member.Device, own, v.key)
		switch {
		case err != nil && !errors.Is(err, chunk.ErrDamaged):
			return err
		case (err != nil || is.Own == nil) && (v.grants.Counter == 0 || is.Counter > v.grants.Counter):
			return grants.ErrUnread // to share would be to tell everybody
		case is.Own != nil:
			g, err := grants.Change(v.Dir, func(g grants.Grants) (grants.Grants, error) { return g.Merge(*is.Own), nil })
			if err != nil || g.Counter != v.grants.Counter {
				return cmp.Or(err, errAnew)
			}
		}
	}
	if v.grants.Counter == 0 {
		return nil
	}
	v.grants, err = grants.Change(v.Dir, func(g grants.Grants) (grants.Grants, error) {
		if g.Counter != v.grants.Counter {
			return g, errAnew // somebody was granted something meanwhile, or had it revoked
		}
		_, v.waits = g.Pin(r)
		return g, nil
	})
	if err != nil {
		return err
	}
	if is.Own != nil && is.Counter == v.grants.Counter && slices.Equal(is.To, v.grants.Recipients()) {
		return nil
	}
	return v.putGrants(ctx, a.Seq)
}

// await reports whether somebody joined by a name that was granted something before.
func (v *session) await(ctx context.Context) (bool, error) {
	if !v.waits || time.Since(v.awaited) < tellEvery {
		return false, nil
	}
	v.awaited = time.Now()
	r, err := peers.Register(ctx, v.nc, v.Member.Member)
	if err != nil {
		return false, err
	}
	some, _ := v.grants.Pin(r)
	return some, nil
}

// putGrants replaces the grants at the hub.
func (v *session) putGrants(ctx context.Context, was uint64) error {
	b, err := v.grants.Seal(grants.Head{Team: v.Member.Team, Member: v.Member.Name, Device: v.Member.Device, Counter: v.grants.Counter}, v.key)
	if err != nil {
		return err
	}
	if err = v.replace(ctx, grants.Put(v.Member.Device), was, b); err != nil {
		err = fmt.Errorf("give the hub who may read what: %w", err)
	}
	return err
}
