package spool

// Stamps returns the stamps that one process makes of these readings of a clock.
func Stamps(readings ...uint64) []uint64 {
	var c counter
	var made []uint64
	for _, now := range readings {
		made = append(made, c.next(now))
	}
	return made
}

// PutAs is Put with a given name: [Name] never returns one twice.
func (d *Dir) PutAs(name string, body []byte) error {
	return d.put(name, encode(JSON, body))
}

// BootOf exports bootOf.
var BootOf = bootOf
