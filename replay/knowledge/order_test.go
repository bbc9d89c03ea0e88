package knowledge

import (
	"slices"
	"testing"
)

// TestOrder: each kind is declared and has one place in every order that it needs.
func TestOrder(t *testing.T) {
	t.Parallel()
	growth := slices.Concat(growthOrder...)
	for i, d := range declared {
		if d == nil {
			t.Fatalf("%s is listed and not declared", sectionOrder[i])
		}
		listed := func(order []Kind) (n int) {
			for _, k := range order {
				if k == d.Kind {
					n++
				}
			}
			return n
		}
		if n := listed(sectionOrder[:]); n != 1 {
			t.Errorf("sectionOrder lists %s %d times", d.Kind, n)
		}
		inText := d.Text != Text{}
		if n := listed(fillOrder); n > 1 || (n == 1) != inText {
			t.Errorf("fillOrder lists %s %d times", d.Kind, n)
		}
		if n := listed(growth); n > 1 || (n == 1) != (inText && !d.Text.Frame) {
			t.Errorf("growthOrder lists %s %d times", d.Kind, n)
		}
	}
}
