package redact

// Trackers, documents, monitoring and other tools of a team.
var workplaces = [...]Rule{
	{
		Name: "linear-key", Kind: "linear-key", Finds: "an API key or OAuth token of Linear",
		Keywords: []string{"lin_api_", "lin_oauth_"}, apart: alnum, body: alnum, least: 32, check: genuine,
	},
	{
		Name: "sentry-token", Kind: "sentry-token", Finds: "an organisation or user token of Sentry",
		Keywords: []string{"sntrys_", "sntryu_"}, apart: alnum, body: base64 | underscore, least: 40, check: genuine,
	},
	{
		Name: "grafana-token", Kind: "grafana-token", Finds: "a service account or cloud token of Grafana",
		Keywords: []string{"glsa_", "glc_"}, apart: alnum, body: base64 | underscore, least: 32, check: genuine,
	},
	{
		Name: "newrelic-key", Kind: "newrelic-key", Finds: "a user or insert key of New Relic",
		Keywords: []string{"NRAK-", "NRII-"}, apart: alnum, body: word, least: 24, check: genuine,
	},
	{
		Name: "postman-key", Kind: "postman-key", Finds: "an API key of Postman",
		Keywords: []string{"PMAK-"}, apart: alnum, body: hex | hyphen, least: 50, check: genuine,
	},
	{
		Name: "notion-token", Kind: "notion-token", Finds: "an integration token of Notion",
		Keywords: []string{"ntn_"}, apart: alnum, body: alnum, least: 40, check: genuine,
	},
	{
		Name: "figma-token", Kind: "figma-token", Finds: "a personal access token of Figma",
		Keywords: []string{"figd_", "figo_"}, apart: alnum, body: word, least: 36, check: genuine,
	},
	{
		Name: "onepassword-token", Kind: "onepassword-token", Finds: "a service account token of 1Password",
		Keywords: []string{"ops_eyJ"}, apart: alnum, body: base64 | word, least: 100, check: genuine,
	},
	{
		Name: "dynatrace-token", Kind: "dynatrace-token", Finds: "an access token of Dynatrace",
		Keywords: []string{"dt0c01.", "dt0s01."}, apart: alnum, body: dotted, least: 60, check: genuine,
	},
	{
		Name: "airtable-token", Kind: "airtable-token", Finds: "a personal access token of Airtable",
		Keywords: []string{"pat"}, apart: word, find: airtableToken, check: genuine,
	},
}

var _ = declare(workplaces[:])

// airtableToken finds 14 letters and digits, a dot and 64 hexadecimal digits.
func airtableToken(s string, at, end int) (int, int) {
	const id, least = 14, 60
	if alnum.run(clip(s[end:], id+1)) != id || end+id == len(s) || s[end+id] != '.' {
		return -1, -1
	}
	n := hex.run(s[end+id+1:])
	if n < least {
		return -1, -1
	}
	return at, end + id + 1 + n
}
