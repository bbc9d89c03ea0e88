package redact

import "strings"

// Services that send mail and short messages.
var messaging = [...]Rule{
	shape{"twilio-key", "twilio-key", word, hex, 31, genuine}.rule("an API key of Twilio", "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"),
	{
		Name: "sendgrid-key", Kind: "sendgrid-key", Finds: "an API key of SendGrid",
		Keywords: []string{"SG."}, apart: alnum, pattern: `SG\.[\w-]{16,}\.[\w-]{32,}`, check: genuine,
	},
	shape{"mailgun-key", "mailgun-key", word, hex, 32, genuine}.rule("an API key of Mailgun", "key-"),
	{
		Name: "mailchimp-key", Kind: "mailchimp-key", Finds: "an API key of Mailchimp",
		Keywords: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, find: mailchimpKey,
	},
}

var _ = declare(messaging[:])

// mailchimpKey finds 32 hexadecimal digits before the name of the data centre.
func mailchimpKey(s string, at, end int) (int, int) {
	const size = 32
	if at < size || !hex.only(s[at-size:at]) || strings.ToLower(s[at-size:at]) != s[at-size:at] || at > size && word.has(s[at-size-1]) {
		return -1, -1
	}
	return at - size, end + digit.run(clip(s[end:], 1))
}
