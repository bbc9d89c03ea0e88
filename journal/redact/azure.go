package redact

var azure = [...]Rule{
	{
		Name: "azure-shared-key", Kind: "azure-key", Finds: "the key in a connection string of Azure Storage, Service Bus or Event Hubs",
		Keywords: []string{"accountkey=", "sharedaccesskey="}, Fold: true, body: base64, least: 40, behind: true, check: genuine,
	},
	{
		Name: "azure-sas", Kind: "azure-sas", Finds: "the signature of an Azure shared access signature",
		Keywords: []string{"sig="}, apart: alnum, body: base64 | percent, least: 40, behind: true, check: genuine,
	},
	{
		Name: "azure-client-secret", Kind: "azure-client-secret", Finds: "a client secret of Microsoft Entra ID",
		Keywords: []string{"8Q~", "7Q~"}, find: entraSecret,
	},
}

var _ = declare(azure[:])

// entraSecret finds a client secret, which has three bytes before its fixed part.
func entraSecret(s string, at, end int) (int, int) {
	const before, least = 3, 31
	set := dotted | tilde
	if at < before || !set.only(s[at-before:at]) || at > before && word.has(s[at-before-1]) {
		return -1, -1
	}
	n := set.run(s[end:])
	if n < least {
		return -1, -1
	}
	return at - before, end + n
}
