package redact

import "strings"

// Trackers, documents, monitoring and other tools of a team.
var workplaces = [...]Rule{
	shape{"linear-key", "linear-key", alnum, alnum, 32, genuine}.rule("an API key or OAuth token of Linear", "lin_api_", "lin_oauth_"),
	shape{"sentry-token", "sentry-token", alnum, base64 | underscore, 40, genuine}.rule("an organisation or user token of Sentry", "sntrys_", "sntryu_"),
	shape{"grafana-token", "grafana-token", alnum, base64 | underscore, 32, genuine}.rule("a service account or cloud token of Grafana", "glsa_", "glc_"),
	shape{"newrelic-key", "newrelic-key", alnum, word, 24, genuine}.rule("a user or insert key of New Relic", "NRAK-", "NRII-"),
	shape{"postman-key", "postman-key", alnum, hex | hyphen, 50, genuine}.rule("an API key of Postman", "PMAK-"),
	shape{"notion-token", "notion-token", alnum, alnum, 40, genuine}.rule("an integration token of Notion", "ntn_"),
	shape{"figma-token", "figma-token", alnum, word, 36, genuine}.rule("a personal access token of Figma", "figd_", "figo_"),
	shape{"onepassword-token", "onepassword-token", alnum, base64 | word, 100, genuine}.rule("a service account token of 1Password", "ops_eyJ"),
	shape{"dynatrace-token", "dynatrace-token", alnum, dotted, 60, genuine}.rule("an access token of Dynatrace", "dt0c01.", "dt0s01."),
	{
		Name: "airtable-token", Kind: "airtable-token", Finds: "a personal access token of Airtable",
		Keywords: []string{"airtable"}, Fold: true, find: airtableToken, check: genuine,
	},
}

var _ = declare(workplaces[:])

// airtableToken finds pat, 14 letters and digits, a dot and 64 hexadecimal digits near the name of the service.
func airtableToken(s string, _, end int) (int, int) {
	const id, least = 14, 60
	for at := end; ; {
		i := strings.Index(s[at:], "pat")
		if i < 0 {
			return -1, -1
		}
		from := at + i
		at = from + len("pat") + alnum.run(s[from+len("pat"):])
		if at-from == len("pat")+id && at < len(s) && s[at] == '.' && hex.run(s[at+1:]) >= least {
			return from, at + 1 + hex.run(s[at+1:])
		}
	}
}
