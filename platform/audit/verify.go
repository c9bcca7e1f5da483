package audit

import (
	"bytes"
	"crypto/ed25519"
	"fmt"

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
	// Heads counts the signed heads of days.
	Heads int64 `json:"heads"`
	// Head is the last link in hex; it can be compared with one noted elsewhere.
	Head string `json:"head"`
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
	link   []byte
	heads  map[int64][]models.AuditHead
}

func newVerifier(public ed25519.PublicKey, heads []models.AuditHead) *verifier {
	v := &verifier{public: public, link: genesis, heads: map[int64][]models.AuditHead{}, report: Report{Faults: []string{}}}
	for _, h := range heads {
		v.report.Heads++
		if !ed25519.Verify(public, headText(h), h.Signature) {
			v.fault("the head of %s is not signed by this deployment", h.Day)
		}
		v.heads[h.Seq] = append(v.heads[h.Seq], h)
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
	if *e.Seq != v.report.Sealed {
		v.fault("place %d: the entry %s stands where place %d was expected: entries were removed or put in", *e.Seq, e.ID, v.report.Sealed)
		v.report.Sealed = *e.Seq
		v.link = nil // what went before is unknown; the links that follow are checked against each other
	}
	if v.link != nil && !bytes.Equal(Hash(v.link, *e.Seq, e), e.Hash) {
		v.fault("place %d: the entry %s is not the one that was sealed: it was changed, exchanged or put in later", *e.Seq, e.ID)
	}
	v.link = e.Hash
	for _, h := range v.heads[*e.Seq] {
		if !bytes.Equal(h.Hash, e.Hash) {
			v.fault("place %d: the chain differs from the signed head of %s: it was rewritten", *e.Seq, h.Day)
		}
	}
	delete(v.heads, *e.Seq)
}

// finish looks at what must have been met by now.
func (v *verifier) finish() Report {
	for _, heads := range v.heads {
		for _, h := range heads {
			v.fault("the chain ends at place %d before the signed head of %s at place %d: entries were removed", v.report.Sealed, h.Day, h.Seq)
		}
	}
	v.report.Head = fmt.Sprintf("%x", v.link)
	return v.report
}
