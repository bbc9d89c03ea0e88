package redact

import "strings"

// Parameters of URLs whose names are words that elsewhere name no secret.
var queries = [...]Rule{{
	Name: "url-parameter", Kind: "url-parameter", Finds: "a parameter of a URL that signs it, or stands for a session or a grant, and looks random",
	// The ends of the names, with what follows them: code=, signature=, session=, ticket=, hmac=, …
	Keywords: []string{"sig=", "ure=", "ode=", "sid=", "ion=", "_id=", "nid=", "mac=", "ket=", "sas=", "nse="},
	Fold:     true, find: parameter, generic: true,
}}

var _ = declare(queries[:])

// parameter finds the value of a parameter whose name ends with the keyword: X-Amz-Signature=.
func parameter(s string, at, end int) (int, int) {
	start := at
	for start > 0 && at-start < longestName && word.has(s[start-1]) {
		start--
	}
	if start == 0 || strings.IndexByte("?&;#", s[start-1]) < 0 || !signing(lastWord(s[start:end-1])) && !foldContains(s[start:end-1], sessionParts) {
		return -1, -1
	}
	to := end + indexOr(s[end:], "&#;\"'`<> \t\r\n\\)],")
	if !chance(clip(s[end:to], judged)) {
		return -1, -1
	}
	return end, to
}

// signing reports whether a parameter whose name ends with a word signs a URL, or stands for a session or a grant.
func signing(w string) bool {
	switch strings.ToLower(w) {
	case "sig", "signature", "code", "sid", "session", "sessionid", "hmac", "ticket", "sas", "samlresponse", "response":
		return true
	}
	return false
}
