package backfill

import "journal/journal/agents/transcript"

// compactions groups what hooks told of the compactions of a lane, as folds do (ADR-0009): a fact
// begins a new one when work lies before it, or when its kind was told already and something was
// said since; an intention is that of the fact that comes next.
type compactions struct {
	all            []transcript.Compaction // in the order of the log
	spoken, worked bool                    // since the newest fact
}

func (c *compactions) intended(seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(transcript.FactIntention, seq)
}

func (c *compactions) fact(f transcript.Fact, seq uint64) {
	if n := len(c.all); n == 0 || c.all[n-1].Happened() && (c.worked || c.all[n-1][f] != 0 && c.spoken) {
		c.all = append(c.all, transcript.Compaction{})
	}
	c.put(f, seq)
	c.spoken, c.worked = false, false
}

// ended takes the end of a compaction of which a hook told no summary: it happened, and the
// context restarted, whether a hook says so or not.
func (c *compactions) ended(seq uint64) {
	if n := len(c.all); c.worked || n == 0 || c.all[n-1][transcript.FactRestart] == 0 {
		c.fact(transcript.FactRestart, seq)
	}
}

// put notes where a fact of the newest compaction was told first.
func (c *compactions) put(f transcript.Fact, seq uint64) {
	if newest := &c.all[len(c.all)-1]; newest[f] == 0 {
		newest[f] = seq
	}
}
