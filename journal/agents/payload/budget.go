package payload

// budget is what may still be kept. One eighth of it is put aside for short top
// level fields (ADR-0014: session_id after a huge field is found).
type budget struct {
	main, spare pool
}

type pool struct {
	bytes, items int
}

func newBudget(bytes, items int) budget {
	spare := pool{bytes / 8, items / 8}
	return budget{pool{bytes - spare.bytes, items - spare.items}, spare}
}

// take pays for one item of n bytes and tells whether it can be kept. A top item
// may use the reserve when it is short.
func (b *budget) take(n int, top bool) bool {
	if b.main.take(n) {
		return true
	}
	return top && n <= maxSpare && b.spare.take(n)
}

func (p *pool) take(n int) bool {
	if p.items < 1 || p.bytes < n {
		return false
	}
	p.items--
	p.bytes -= n
	return true
}
