package redact

import "strings"

// sectionWindow holds the sections that are read.
const sectionWindow = 4 << 10

// The data of a Secret of Kubernetes.
var _ = declare([]Rule{
	{Name: "secret-manifest", Kind: "secret", Finds: "the data of a Secret of Kubernetes", Keywords: []string{"nd: Secret"}, each: manifestData, window: sectionWindow, generic: true},
})

// manifestData reads what stands below data or stringData in a manifest that says it is a Secret, wherever it says so.
func manifestData(s string, at, end int) (found []span) {
	if !strings.HasSuffix(s[:at], "ki") || strings.TrimSpace(s[end:end+indexOr(s[end:], "\r\n")]) != "" {
		return nil
	}
	begin := max(0, at-sectionWindow)
	if i := strings.LastIndex(s[begin:at], "\n---"); i >= 0 {
		begin += i
	}
	to := len(s)
	if i := strings.Index(s[end:], "\n---"); i >= 0 {
		to = end + i
	}
	inside, indent := false, 0
	for i := begin; i < to; {
		i += leading(s[i:to], "\r\n")
		line := s[i : i+indexOr(s[i:to], "\r\n")]
		n := gap.run(line)
		switch name := strings.TrimSpace(line); {
		case name == "data:" || name == "stringData:":
			inside, indent = true, n
		case n <= indent && name != "":
			inside = false
		case inside:
			_, value, ok := strings.Cut(line, ":")
			if !ok {
				value = line // of several
			}
			value, _, _ = strings.Cut(value, " #")
			v := strings.Trim(value, " \t\"'")
			if from := strings.LastIndex(line, v); len(v) >= shortestEntry && !filler(v) && strings.IndexByte("|>#", v[0]) < 0 {
				found = append(found, span{from: i + from, to: i + from + len(v)})
			}
		}
		i += len(line)
	}
	return found
}
