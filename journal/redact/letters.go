package redact

import "strings"

// follows holds, for each small letter, the letters that often follow it in the words of English prose and of names in code:
// the 272 of 676 pairs that are 93 in 100 of those in 15,000 such words.
var follows = func() (t [26]uint32) {
	for i, letters := range [...]string{
		"abcdfgiklmnprstuvxy", "abceilorsuy", "acdehiklorstu", "adefilorsu", "abcdefgilmnopqrstvwxy", "acdefilorstu", "acehilnorsu", "aeiort", "abcdefglmnoprstvxz", "", "eis", "adeilopstuy", "abeimopsu", "acdefgiklnostuv", "abcdfgiklmnoprstuvw", "acehiloprstu", "u", "acdefgiklmnoprstuvy", "aceghiklmopstuwy", "acdefhiloprstuy", "abcefgilmnprst", "aei", "aeiors", "efipt", "ps", "e",
	} {
		for _, c := range []byte(letters) {
			t[i] |= 1 << (c - 'a')
		}
	}
	return t
}()

// strange reports whether the letters of v, in whatever case, follow each other as chance puts them and not as words do. Of
// random letters 40 in 100 pairs are common, of words 87; it takes seven pairs to tell.
func strange(v string) bool {
	all, rare := 0, 0
	for i := 1; i < len(v); i++ {
		if (lower | upper).has(v[i]) && (lower | upper).has(v[i-1]) {
			all++
			rare += 1 - int(follows[(v[i-1]|0x20)-'a']>>((v[i]|0x20)-'a')&1)
		}
	}
	return all >= 7 && rare*10 > all*4
}

// random reports whether a token looks made by a machine: it has a digit, and besides a capital or two more digits. Names
// joined by hyphens do not.
func random(secret string) bool {
	d := digit.in(secret)
	return genuine(secret) && d > 0 && (d > 2 || upper.in(secret) > 0)
}

// genuine reports whether a secret of unmistakable shape is more than the example of one. Dots at its end belong to the text
// around it.
func genuine(secret string) bool { return !filler(strings.TrimRight(secret, ".")) }
