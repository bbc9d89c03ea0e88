package redact

var _ = declare([]Rule{{
	Name: "jwt", Kind: "jwt", Finds: "a JSON web token: signed, of three parts of which two are objects in base64, or encrypted, of five",
	Keywords: []string{"eyJ"}, apart: word, pattern: `eyJ[\w-]{7,}\.(?:eyJ[\w-]{7,}\.[\w-]{10,}|[\w-]*(?:\.[\w-]{10,}){3})`,
	// Claims are long; what does not end within the window is not a token.
	window: 16 << 10,
}})
