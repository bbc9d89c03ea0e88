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

// preview sets delivery.shown of the texts that the client cut to a preview (ADR-0010 rule 5). The log has only the digest of a
// text, so the text is rendered again. If the digest then differs, because of a custom template or limit, shown stays empty.
func (p *pass) preview(ctx context.Context, src replay.Source) error {
	for _, e := range p.episodes {
		for i := range e.deliveries {
			r := &e.deliveries[i]
			if r.Whole || r.Preview <= 0 {
				continue
			}
			for _, o := range e.offered {
				if r.Recovery != o.seq || r.Digest != o.Digest {
					continue
				}
				rendered, err := p.render(ctx, src, o)
				if err != nil {
					return fmt.Errorf("audit: %w", err)
				}
				if rendered.Digest == o.Digest {
					r.shown = text.CutUnits(rendered.Text, r.Preview)
				}
			}
		}
	}
	return nil
}

// render renders an offered text with the built-in template and the usual limit.
func (p *pass) render(ctx context.Context, src replay.Source, o offeredText) (recovery.Text, error) {
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

// shows reports whether the client's preview has the whole item.
func (r delivery) shows(it *Item) bool {
	words := it.source.Shows
	if words == nil {
		words = []string{it.Text}
	}
	return r.shown != "" && !slices.ContainsFunc(words, func(s string) bool { return !strings.Contains(r.shown, text.Inert(text.Line(s))) })
}
