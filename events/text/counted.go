package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Counted returns a number with a noun for people, such as "1 entry" and "2 entries". plural is an optional irregular plural,
// as in "1 is" and "2 are".
func Counted[N int | int64 | uint64](n N, singular string, plural ...string) string {
	switch stem, endsInY := strings.CutSuffix(singular, "y"); {
	case n == 1:
		return "1 " + singular
	case len(plural) > 0:
		return fmt.Sprintf("%d %s", n, plural[0])
	case endsInY: // no noun here has a vowel before the y
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, singular)
}

// Short formats a number with at most three digits before a unit, rounded: 999, 1.5k, 12k, 1M.
func Short(n int64) string {
	value, prefixes := float64(n), "kMGTPE"
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	unit := ""
	for ; value >= 999.5 && prefixes != ""; prefixes = prefixes[1:] {
		value, unit = value/1000, prefixes[:1]
	}
	if value >= 99.95 {
		return strconv.FormatFloat(value, 'f', 0, 64) + unit
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + unit
}
