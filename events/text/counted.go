package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Counted returns a number of things for people, such as "1 entry" and "2 entries". more is an irregular plural, as in "1 is"
// and "2 are".
func Counted[N int | int64 | uint64](n N, singular string, more ...string) string {
	switch y, ends := strings.CutSuffix(singular, "y"); {
	case n == 1:
		return "1 " + singular
	case len(more) > 0:
		return fmt.Sprintf("%d %s", n, more[0])
	case ends:
		return fmt.Sprintf("%d %sies", n, y)
	}
	return fmt.Sprintf("%d %ss", n, singular)
}

// Short formats a number in up to three digits, rounded: 1.5k, 1M.
func Short(n int64) string {
	value, units := float64(n), "kMG"
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	unit := ""
	for ; value >= 999.5 && units != ""; units = units[1:] {
		value, unit = value/1000, units[:1]
	}
	if value >= 99.95 {
		return strconv.FormatFloat(value, 'f', 0, 64) + unit
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + unit
}
