package cli

import "strings"

// edits is how many bytes have to be put in, taken out, changed, or swapped with the
// next one to make one word of another.
func edits(a, b string) int {
	before, row, next := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 0
			if a[i] != b[j] {
				cost = 1
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, make([]int, len(b)+1)
	}
	return row[len(b)]
}

// Nearest gives those of the words that a mistyped one comes nearest to, none where all are
// far. The beginning of a word is near to it.
func Nearest(typed string, words []string) (near []string) {
	typed = strings.ToLower(typed)
	least := 1 + len(typed)/4
	for _, word := range words {
		low := strings.ToLower(word)
		d := edits(typed, low)
		if len(typed) > 1 && (strings.HasPrefix(low, typed) || strings.HasPrefix(typed, low)) {
			d = min(d, 1)
		}
		switch {
		case d > least:
			continue
		case d < least:
			least, near = d, nil
		}
		near = append(near, word)
	}
	return near
}

// maxNearest bounds the words that an error names: more are no help.
const maxNearest = 5

// DidYouMean asks for the words that a mistyped one may have meant, as the end of a
// sentence: empty where there is none.
func DidYouMean(typed string, words []string) string {
	near := Nearest(typed, words)
	if len(near) == 0 || len(near) > maxNearest {
		return ""
	}
	return "; did you mean " + OrList(near) + "?"
}
