package worker

import (
	"strings"

	"journal/events/text"
)

// blanks are the characters of white space that can be between two sentences of a line.
const blanks = " \t\r\u00a0\u3000"

// shorten returns a line, shortened if it has more than room characters and at least LongPrompt. Then short has whole sentences
// of both ends, and cut the sentences between them. The first and the last sentence always stay, so short may exceed room. If
// leaving sentences out makes the line no shorter, it stays whole. length is that of short in characters.
func shorten(line string, room int) (short, cut string, length int) {
	n := text.Characters(line)
	if n <= room || n < LongPrompt {
		return line, "", n
	}
	all := sentences(line)
	from, to := middle(all, room-text.Characters(ellipsis))
	short = strings.TrimRight(strings.Join(all[:from], ""), blanks) + ellipsis + strings.Join(all[to:], "")
	if m := text.Characters(short); from < to && m < n {
		return short, strings.Join(all[from:to], ""), m
	}
	return line, "", n
}

// middle returns the range of sentences to leave out, from included and to excluded, so that the others fit into room characters.
// The first and the last always stay. It keeps sentences from the front and from the back, each time on the side that has fewer
// characters so far.
func middle(sentences []string, room int) (from, to int) {
	from, to = 1, len(sentences)-1
	head, tail := text.Characters(sentences[0]), text.Characters(sentences[to])
	for from < to {
		next := sentences[from]
		if tail < head {
			next = sentences[to-1]
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

// ending matches a possible end of a sentence: punctuation, closing quotes and brackets, blanks.
var ending = text.Pattern("[.!?…。！？｡]+([\"'”’)\\]」』）】》〉]*)([ \t\r\u00a0\u3000]*)")

var (
	// continuation matches the text after punctuation within a sentence: "approx. 5", "“Why?” he said".
	continuation = text.Pattern(`^[\p{Ll}\p{Nd}]`)
	// abbreviation matches the text before a dot that may not end a sentence: "No. A", "Dr. Kim", "2. Item".
	abbreviation = text.Pattern(`(^|[^\p{L}\p{Nd}])(\p{Latin}|\p{Lu}\p{Latin}{1,3}|\p{Nd}{1,3}|vs|cf|no)$`)
)

// abbreviationBytes is enough for the text that abbreviation matches, in UTF-8: at most five characters.
const abbreviationBytes = 20

// sentences splits a line into sentences. Each has the blanks behind it. In doubt it does not split. The rules of Unicode
// (UAX #29) are no help, because they split URLs, code and "Dr. Kim".
func sentences(line string) (all []string) {
	start := 0
	for _, match := range ending().FindAllStringSubmatchIndex(line, -1) {
		sign, next := line[match[0]:match[2]], line[match[1]:]
		wide := strings.TrimRight(sign, ".!?…") == sign // the last sign is a wide one, such as 。, which needs no blank after it
		quoted, spaced := match[2] < match[3], match[4] < match[5]
		separated := spaced || wide && !quoted // the sentence around a quote may go on: 「はい。」と
		abbreviated := sign == "." && abbreviation().MatchString(line[max(0, match[0]-abbreviationBytes):match[0]])
		if separated && !abbreviated && next != "" && !continuation().MatchString(next) {
			all = append(all, line[start:match[1]])
			start = match[1]
		}
	}
	return append(all, line[start:])
}
