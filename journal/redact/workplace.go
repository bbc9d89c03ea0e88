package redact

// Trackers, documents, monitoring and other tools of a team.
var (
	_ = declare(Rule{
		Name: "linear-key", Kind: "linear-key", Finds: "an API key or OAuth token of Linear",
		Keywords: []string{"lin_api_", "lin_oauth_"}, apart: alnum, find: token(alnum, 32), check: genuine,
	})
	_ = declare(Rule{
		Name: "sentry-token", Kind: "sentry-token", Finds: "an organisation or user token of Sentry",
		Keywords: []string{"sntrys_", "sntryu_"}, apart: alnum, find: token(base64.and(setOf("_")), 40), check: genuine,
	})
	_ = declare(Rule{
		Name: "grafana-token", Kind: "grafana-token", Finds: "a service account or cloud token of Grafana",
		Keywords: []string{"glsa_", "glc_"}, apart: alnum, find: token(base64.and(setOf("_")), 32), check: genuine,
	})
	_ = declare(Rule{
		Name: "newrelic-key", Kind: "newrelic-key", Finds: "a user or insert key of New Relic",
		Keywords: []string{"NRAK-", "NRII-"}, apart: alnum, find: token(word, 24), check: genuine,
	})
	_ = declare(Rule{
		Name: "postman-key", Kind: "postman-key", Finds: "an API key of Postman",
		Keywords: []string{"PMAK-"}, apart: alnum, find: token(hex.and(setOf("-")), 50), check: genuine,
	})
	_ = declare(Rule{
		Name: "notion-token", Kind: "notion-token", Finds: "an integration token of Notion",
		Keywords: []string{"ntn_"}, apart: alnum, find: token(alnum, 40), check: genuine,
	})
	_ = declare(Rule{
		Name: "figma-token", Kind: "figma-token", Finds: "a personal access token of Figma",
		Keywords: []string{"figd_", "figo_"}, apart: alnum, find: token(word, 36), check: genuine,
	})
	_ = declare(Rule{
		Name: "onepassword-token", Kind: "onepassword-token", Finds: "a service account token of 1Password",
		Keywords: []string{"ops_eyJ"}, apart: alnum, find: token(base64.and(word), 100), check: genuine,
	})
	_ = declare(Rule{
		Name: "dynatrace-token", Kind: "dynatrace-token", Finds: "an access token of Dynatrace",
		Keywords: []string{"dt0c01.", "dt0s01."}, apart: alnum, find: token(dotted, 60), check: genuine,
	})
)
