package worker

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"journal/events/text"
)

// blanks are what stands between two sentences of a line.
const blanks = " \t\r\u00a0\u3000"

// shorten gives a line and its length in characters. Of one that may be cut and does not fit into so
// many it gives whole sentences of both its ends, and those that are cut out.
func shorten(line string, room int) (short, cut string, length int) {
	n := text.Characters(line)
	if n <= room || n < LongPrompt {
		return line, "", n
	}
	said := sentences(line)
	from, to := middle(said, room-text.Characters(gap))
	short = strings.TrimRight(strings.Join(said[:from], ""), blanks) + gap + strings.Join(said[to:], "")
	if m := text.Characters(short); from < to && m < n {
		return short, strings.Join(said[from:to], ""), m
	}
	return line, "", n
}

// middle gives which sentences are to be left out so that the others fit into so many characters. The
// first and the last one stay in any case; from there the shorter end grows.
func middle(said []string, room int) (from, to int) {
	from, to = 1, len(said)-1
	head, tail := text.Characters(said[0]), text.Characters(said[to])
	for from < to {
		next := said[from]
		if tail < head {
			next = said[to-1]
		}
		n := text.Characters(next)
		switch {
		case head+tail+n > room:
			return from, to
		case tail < head:
			tail += n
			to--
		default:
			head += n
			from++
		}
	}
	return from, to
}

// ending is where a sentence may end: signs, what closes quotes and brackets, white space.
var ending = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[.!?…。！？｡]+([\"'”’)\\]」』）】》〉]*)([ \t\r\u00a0\u3000]*)")
})

var (
	// goesOn is what follows a sign within a sentence: "approx. 5", "“Why?” he said".
	goesOn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{Ll}\p{Nd}]`) })
	// brief is what stands before a dot that may well end no sentence: "No. A", "Dr. Kim", "2. Item".
	brief = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[^\p{L}\p{Nd}])(\p{Latin}|\p{Lu}\p{Latin}{1,3}|\p{Nd}{1,3}|vs|cf|no)$`)
	})
)

// briefBytes holds the five characters that brief looks at, in UTF-8.
const briefBytes = 20

// sentences parts a line; joined they are the line. In doubt two sentences are one. The rules for
// text in general (UAX #29) are of no use here: they part URLs, code and "Dr. Kim".
func sentences(line string) (all []string) {
	start := 0
	for _, at := range ending().FindAllStringSubmatchIndex(line, -1) {
		sign, next := line[at[0]:at[2]], line[at[1]:]
		parted := at[4] < at[5] || at[2] == at[3] && !strings.ContainsRune(".!?…", lastRune(sign))
		short := sign == "." && brief().MatchString(line[max(0, at[0]-briefBytes):at[0]])
		if parted && !short && next != "" && !goesOn().MatchString(next) {
			all = append(all, line[start:at[1]])
			start = at[1]
		}
	}
	return append(all, line[start:])
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
