package owner

import (
	"context"

	"journal/events"
	"journal/projections"
)

// windows knows how large the context window of a model is: what a statusline
// reported for it last. A headless session tells its tokens only (DECISIONS 3.7).
type windows map[string]int64

// note remembers what a stored sample says.
func (w windows) note(e events.Envelope) {
	if e.Type != events.TypeOf[events.UsageSampled]() {
		return
	}
	ev, err := events.Open(e)
	if s, ok := ev.(events.UsageSampled); err == nil && ok && s.Window > 0 && s.Model != "" {
		w[s.Model] = s.Window
	}
}

// completed gives a sample the window of its model, and its percentage, when the
// reporter knew neither. A model that nobody reported and nobody configured
// leaves the sample as it is, and the pressure layer silent (S1.11). The caller
// holds appending.
func (o *Owner) completed(ctx context.Context, e events.Envelope) (events.Envelope, error) {
	if e.Type != events.TypeOf[events.UsageSampled]() {
		return e, nil
	}
	ev, err := events.Open(e)
	sample, ok := ev.(events.UsageSampled)
	if err != nil || !ok || sample.Window != 0 || sample.Model == "" {
		return e, err
	}
	if o.windows == nil {
		o.windows = windows{}
		for old, err := range o.log.Events(ctx, events.Span{Until: o.head}, events.Selector{Type: e.Type}) {
			if err != nil {
				// The samples behind the damage are not known; they come again.
				o.trouble(err)
				break
			}
			o.windows.note(old)
		}
	}
	window := o.windows[sample.Model]
	if window == 0 {
		window = o.config.Settings().Windows[sample.Model]
	}
	if window == 0 {
		return e, nil
	}
	sample.Window, sample.Percent = window, projections.PercentOf(sample.Tokens, window)
	filled, err := events.Wrap(sample, e.Meta)
	if err != nil {
		return e, err
	}
	filled.More = e.More
	return filled, nil
}
