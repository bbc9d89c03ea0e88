package writer

import (
	"context"

	"journal/events"
	"journal/projections"
)

// windows holds the context window of each model in tokens, as a statusline last reported it. A session without a statusline reports only
// its tokens (ADR-0026).
type windows map[string]int64

// note records the window of a stored sample, unless w is nil.
func (w windows) note(e events.Envelope) {
	if w == nil {
		return
	}
	if s, ok := events.As[events.UsageSampled](e); ok && s.Window >= max(s.Tokens, 1) && s.Model != "" {
		w[s.Model] = s.Window
	}
}

// completeSample adds the window of the model, and the percentage, to a usage sample without a window. The sample stays unchanged if its
// model or the window of the model is unknown, if the log cannot be read, or if the sample has more tokens than that window. Readers then
// use the window that is configured or built in (S1.3). The caller holds the lock.
func (w *Writer) completeSample(ctx context.Context, e *events.Envelope) (changed bool, err error) {
	sample, ok := events.As[events.UsageSampled](*e)
	if !ok || sample.Window != 0 || sample.Model == "" {
		return false, nil
	}
	if w.windows == nil {
		all := windows{}
		// readLog ends at a missing record. The windows after it are not known here, until a statusline reports again.
		if err := w.readLog(ctx, events.Span{Until: w.head}, all.note, events.Selector{Type: events.TypeOf[events.UsageSampled]()}); err != nil {
			w.OnError(err)
			return false, nil // the next sample retries
		}
		w.windows = all
	}
	window := w.windows[sample.Model]
	if window < max(sample.Tokens, 1) { // the window is unknown, or was another one
		return false, nil
	}
	sample.Window, sample.Percent = window, projections.PercentOf(sample.Tokens, window)
	filled, err := e.With(sample)
	if err != nil {
		return false, err
	}
	*e = filled
	return true, nil
}
