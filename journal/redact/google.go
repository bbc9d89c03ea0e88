package redact

// The private key of a service account is a PEM block; see private_key.go.
var (
	_ = declare(Rule{
		Name: "google-api-key", Kind: "google-api-key", Finds: "a Google API key",
		Keywords: []string{"AIza"}, apart: alnum, find: token(word, 35), check: genuine,
	})
	_ = declare(Rule{
		Name: "google-oauth-secret", Kind: "google-oauth-secret", Finds: "a client secret of Google OAuth",
		Keywords: []string{"GOCSPX-"}, apart: alnum, find: token(word, 24), check: genuine,
	})
	_ = declare(Rule{
		Name: "google-oauth-token", Kind: "google-oauth-token", Finds: "an access or refresh token of Google OAuth",
		Keywords: []string{"ya29."}, apart: alnum, find: token(dotted, 30), check: random,
	})
)
