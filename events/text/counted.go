package text

import (
	"fmt"
	"strings"
)

// Counted returns a number of things for people, such as "2 entries"; one is the singular, and more a plural that is
// not made of it: "1 is", "2 are".
func Counted[N int | int64 | uint64](n N, one string, more ...string) string {
	switch y, ends := strings.CutSuffix(one, "y"); {
	case n == 1:
		return "1 " + one
	case len(more) > 0:
		return fmt.Sprintf("%d %s", n, more[0])
	case ends:
		return fmt.Sprintf("%d %sies", n, y)
	}
	return fmt.Sprintf("%d %ss", n, one)
}
