package redact

// The private key of a service account is a PEM block; see private_key.go.
var google = [...]Rule{
	{
		Name: "google-api-key", Kind: "google-api-key", Finds: "a Google API key",
		Keywords: []string{"AIza"}, apart: alnum, body: word, least: 35, check: genuine,
	},
	{
		Name: "google-oauth-secret", Kind: "google-oauth-secret", Finds: "a client secret of Google OAuth",
		Keywords: []string{"GOCSPX-"}, apart: alnum, body: word, least: 24, check: genuine,
	},
	{
		Name: "google-oauth-token", Kind: "google-oauth-token", Finds: "an access or refresh token of Google OAuth",
		Keywords: []string{"ya29."}, apart: alnum, body: dotted, least: 30, check: random,
	},
}

var _ = declare(google[:])
