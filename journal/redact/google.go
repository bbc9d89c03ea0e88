package redact

// The private key of a service account is a PEM block; see private_key.go.
var google = [...]Rule{
	shape{"google-api-key", "google-api-key", alnum, word, 35, genuine}.rule("a Google API key", "AIza"),
	shape{"google-oauth-secret", "google-oauth-secret", alnum, word, 24, genuine}.rule("a client secret of Google OAuth", "GOCSPX-"),
	shape{"google-oauth-token", "google-oauth-token", alnum, dotted, 30, random}.rule("an access or refresh token of Google OAuth", "ya29."),
}

var _ = declare(google[:])
