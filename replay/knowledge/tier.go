package knowledge

// Tier orders items across kinds: the lower, the more needed. What the lower ones
// hold fits into the vital part of most recovery texts; each kind sends its first
// few there and the rest further down, so that many of one kind do not crowd out
// the others.
type Tier int

// The tiers. An item without one gets that of its place within its kind.
const (
	Framed   Tier = iota + 1 // in the frame of every text
	Foremost                 // the first of each kind that is needed at once
	Vital
	Likely
	Useful
	Spare
	Unlisted // in no text: done, promoted, or beyond what a kind may list
)

// Tiers says how needed the items of a kind are, by their place within it.
type Tiers struct {
	Best   Tier // of the first ones; the very first is Foremost where that is Vital
	First  int  // how many are in Best
	Second int  // how many of the next are in the tier below; the rest is Spare
}

// tier gives the tier of the i-th of a kind.
func (t Text) tier(i int) Tier {
	switch {
	case t.Frame:
		return Framed
	case t.Most > 0 && i >= t.Most:
		return Unlisted
	case i == 0 && t.Tiers.Best == Vital:
		return Foremost
	case i < t.Tiers.First:
		return t.Tiers.Best
	case i < t.Tiers.First+t.Tiers.Second:
		return t.Tiers.Best + 1
	}
	return Spare
}
