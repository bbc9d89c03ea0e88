package knowledge

import "sync"

// recent keeps what was made of texts lately: folds of one session have nearly the same ones. It is safe for
// concurrent use; what it gives is shared, and not to be written to.
type recent[T any] struct {
	made func(string) T

	lock       sync.Mutex
	young, old map[string]T
	bytes      int // of the texts in young
}

// maxRecent bounds the texts of each half of what is kept, in bytes.
const maxRecent = 1 << 20

func (r *recent[T]) of(text string) T {
	r.lock.Lock()
	defer r.lock.Unlock()
	v, ok := r.young[text]
	if ok {
		return v
	}
	if v, ok = r.old[text]; !ok {
		v = r.made(text)
	}
	if r.young == nil || r.bytes > maxRecent {
		r.young, r.old, r.bytes = map[string]T{}, r.young, 0
	}
	r.young[text] = v
	r.bytes += len(text)
	return v
}
