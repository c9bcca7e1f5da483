package audit

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"idplatform/models"
)

// headText is what the signature of a day's head covers.
func headText(h models.AuditHead) []byte {
	return fmt.Appendf(nil, "audit-head-1\n%s\n%d\n%x", h.Day, h.Seq, h.Hash)
}

// Report is what a verification found.
type Report struct {
	// Sealed counts the entries of the chain, Unsealed those committed since the sealer last ran.
	Sealed   int64 `json:"sealed"`
	Unsealed int64 `json:"unsealed"`
	// Heads counts the signed heads: one a day, and that of the chain's present end.
	Heads int64 `json:"heads"`
	// Head is the last link in hex; it can be compared with one noted elsewhere.
	Head string `json:"head"`
	// PublicKey is the key, in hex, that the heads were verified with.
	PublicKey string `json:"public_key"`
	// Faults are the breaks found, the first ones of them; none means that the chain holds.
	Faults []string `json:"faults"`
}

// Holds reports whether the chain holds.
func (r Report) Holds() bool { return len(r.Faults) == 0 }

const faultsListed = 20

// verifier goes over a log in the order of its chain.
type verifier struct {
	public ed25519.PublicKey
	report Report
	// heads are by place; days tells which days have one.
	heads map[int64][]models.AuditHead
	days  map[string]int64
	// place, link and day are those of the entry before; link is nil when what went before is not known.
	place int64
	link  []byte
	day   models.Date
}

func newVerifier(public ed25519.PublicKey, heads []models.AuditHead) *verifier {
	v := &verifier{public: public, link: genesis, heads: map[int64][]models.AuditHead{}, days: map[string]int64{},
		report: Report{Faults: []string{}, PublicKey: hex.EncodeToString(public)}}
	for _, h := range heads {
		v.report.Heads++
		if !ed25519.Verify(public, headText(h), h.Signature) {
			v.fault("the head of %s is not signed by this deployment", h.Day)
		}
		v.heads[h.Seq] = append(v.heads[h.Seq], h)
		v.days[h.Day] = h.Seq
	}
	return v
}

func (v *verifier) fault(format string, args ...any) {
	if len(v.report.Faults) < faultsListed {
		v.report.Faults = append(v.report.Faults, fmt.Sprintf(format, args...))
	}
}

// entry takes the next entry of the chain, or an unsealed one.
func (v *verifier) entry(e models.AuditEntry) {
	if e.Seq == nil {
		v.report.Unsealed++
		return
	}
	v.report.Sealed++
	if *e.Seq != v.place+1 {
		v.fault("place %d: the entry %s stands where place %d was expected: entries were removed or put in", *e.Seq, e.ID, v.place+1)
		v.link = nil // what went before is unknown; the links that follow are checked against each other
	}
	if v.link != nil && !bytes.Equal(Hash(v.link, *e.Seq, e), e.Hash) {
		v.fault("place %d: the entry %s is not the one that was sealed: it was changed, exchanged or put in later", *e.Seq, e.ID)
	}
	v.checkDay(e)
	v.place, v.link, v.day = *e.Seq, append([]byte{}, e.Hash...), models.DateOf(e.CreatedAt.Time)
	for _, h := range v.heads[*e.Seq] {
		if !bytes.Equal(h.Hash, e.Hash) {
			v.fault("place %d: the chain differs from the signed head of %s: it was rewritten", *e.Seq, h.Day)
		}
	}
	delete(v.heads, *e.Seq)
}

// checkDay sees to it that the day before has its head when an entry of a later day follows.
func (v *verifier) checkDay(e models.AuditEntry) {
	if v.day.IsZero() || !v.day.Before(models.DateOf(e.CreatedAt.Time)) {
		return
	}
	if at, signed := v.days[v.day.String()]; !signed || at > v.place {
		v.fault("place %d: the signed head of %s, which ends here at the latest, is missing", v.place, v.day)
	}
}

// finish looks at what must have been met by now.
func (v *verifier) finish() Report {
	for _, place := range slices.Sorted(maps.Keys(v.heads)) {
		for _, h := range v.heads[place] {
			v.fault("place %d: there is no entry, and the signed head of %s ends with one: entries were removed", h.Seq, h.Day)
		}
	}
	switch end, signed := v.days[latestHead]; {
	case !signed && v.report.Sealed > 0:
		v.fault("the signed head of the chain's end is missing: entries may have been removed there")
	case v.place > end:
		v.fault("place %d: the chain goes on behind its signed end at place %d: entries were put in", v.place, end)
	}
	v.report.Head = hex.EncodeToString(v.link)
	return v.report
}
