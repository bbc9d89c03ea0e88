package transcript

// callsKept bounds the tool calls whose results are due. A result follows its call
// within an answer; a call that was interrupted has none.
const callsKept = 512

// Calls are the tool calls of a transcript without a result yet, by their ids, oldest
// first. The zero value is ready; it is not safe for concurrent use.
type Calls[T any] struct {
	byID  map[string]T
	order []string
}

// Put keeps a call until it is taken, or many others came.
func (c *Calls[T]) Put(id string, call T) {
	if c.byID == nil {
		c.byID = map[string]T{}
	}
	if len(c.order) == callsKept {
		delete(c.byID, c.order[0])
		c.order = c.order[1:]
	}
	c.byID[id] = call
	c.order = append(c.order, id)
}

// Take gives a call, and forgets it.
func (c *Calls[T]) Take(id string) (T, bool) {
	call, ok := c.byID[id]
	delete(c.byID, id)
	return call, ok
}
