package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
	"journal/replay"
	"journal/replay/recovery"
)

// preview fills in what the client showed of texts that it cut to a preview (ADR-0010 rule 5). The log has only the digest
// of a text, so the text is rendered again. It counts only with the same digest, so not with a custom template or limit.
func (p *pass) preview(ctx context.Context, src replay.Source) error {
	for _, s := range p.episodes {
		for i := range s.deliveries {
			r := &s.deliveries[i]
			for _, o := range s.given {
				if r.Whole || r.Preview <= 0 || r.Recovery != o.seq || r.Digest != o.Digest {
					continue
				}
				again, err := p.again(ctx, src, o)
				if err != nil {
					return fmt.Errorf("audit: %w", err)
				}
				if again.Digest == o.Digest {
					r.shown = text.CutUnits(again.Text, r.Preview)
				}
			}
		}
	}
	return nil
}

// again renders a recovery text that was given before.
func (p *pass) again(ctx context.Context, src replay.Source, o offer) (recovery.Text, error) {
	r, err := recovery.Replayed(ctx, src, p.fold.Target(), p.config, o.AsOf)
	if err != nil {
		return recovery.Text{}, err
	}
	tmpl, err := recovery.Template(o.Lang, "")
	if err != nil {
		return recovery.Text{}, err
	}
	return recovery.Render(r, tmpl, recovery.Limit{})
}

// shows reports whether a preview holds the whole of an item.
func (r delivery) shows(it *Item) bool {
	words := it.source.Shows
	if words == nil {
		words = []string{it.Text}
	}
	return r.shown != "" && !slices.ContainsFunc(words, func(s string) bool { return !strings.Contains(r.shown, text.Inert(text.Line(s))) })
}
