package redact

import "strings"

// Services that send mail and short messages.
var (
	_ = declare(Rule{
		Name: "twilio-key", Kind: "twilio-key", Finds: "an API key of Twilio",
		Keywords: hexAfter("SK"), apart: word, find: token(hex, 31), check: genuine,
	})
	_ = declare(Rule{
		Name: "sendgrid-key", Kind: "sendgrid-key", Finds: "an API key of SendGrid",
		Keywords: []string{"SG."}, apart: alnum, pattern: `SG\.[\w-]{16,}\.[\w-]{32,}`, check: genuine,
	})
	_ = declare(Rule{
		Name: "mailgun-key", Kind: "mailgun-key", Finds: "an API key of Mailgun",
		Keywords: []string{"key-"}, apart: word, find: token(hex, 32), check: genuine,
	})
	_ = declare(Rule{
		Name: "mailchimp-key", Kind: "mailchimp-key", Finds: "an API key of Mailchimp",
		Keywords: []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, find: mailchimpKey,
	})
)

// hexAfter returns prefix with each digit of a hexadecimal number behind it, for a prefix that is too short for a keyword.
func hexAfter(prefix string) []string {
	const digits = "0123456789abcdef"
	words := make([]string, 0, len(digits))
	for i := range len(digits) {
		words = append(words, prefix+digits[i:i+1])
	}
	return words
}

// mailchimpKey finds 32 hexadecimal digits before the name of the data centre.
func mailchimpKey(s string, at, end int) (int, int) {
	const size = 32
	if at < size || !hex.only(s[at-size:at]) || strings.ToLower(s[at-size:at]) != s[at-size:at] || at > size && word.has(s[at-size-1]) {
		return -1, -1
	}
	return at - size, end + digit.run(clip(s[end:], 1))
}
