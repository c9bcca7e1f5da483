package audit

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"idplatform/models"
)

// An export is JSON lines: one header, the heads of days, then every entry in the order of the chain, those
// without a seal last. It names applications and results, and citizens by blind index only.

const exportFormat = "idplatform-audit-1"

type exportHeader struct {
	Format    string `json:"format"`
	PublicKey string `json:"public_key"`
}

type exportHead struct {
	Day       string `json:"head"`
	Seq       int64  `json:"seq"`
	Hash      string `json:"hash"`
	Signature string `json:"signature"`
}

// EntryView is an entry as exports and commands show it.
type EntryView struct {
	Seq           *int64           `json:"seq"`
	ID            string           `json:"id"`
	ApplicationID string           `json:"application_id"`
	Service       string           `json:"service"`
	ResultID      string           `json:"result_id"`
	Purpose       string           `json:"purpose"`
	Scopes        []string         `json:"scopes"`
	Outcome       string           `json:"outcome"`
	Subject       string           `json:"subject"`
	CreatedAt     models.Timestamp `json:"created_at"`
	Hash          string           `json:"hash,omitempty"`
}

// View shows an entry.
func View(e models.AuditEntry) EntryView {
	return EntryView{Seq: e.Seq, ID: e.ID, ApplicationID: string(e.ApplicationID), Service: e.Service, ResultID: e.ResultID,
		Purpose: string(e.Purpose), Scopes: e.Scopes, Outcome: e.Outcome, Subject: hex.EncodeToString(e.Subject),
		CreatedAt: e.CreatedAt, Hash: hex.EncodeToString(e.Hash)}
}

func (v EntryView) entry() (models.AuditEntry, error) {
	subject, err := hex.DecodeString(v.Subject)
	if err != nil {
		return models.AuditEntry{}, err
	}
	hash, err := hex.DecodeString(v.Hash)
	if err != nil {
		return models.AuditEntry{}, err
	}
	return models.AuditEntry{Seq: v.Seq, ID: v.ID, ApplicationID: models.ApplicationID(v.ApplicationID), Service: v.Service,
		ResultID: v.ResultID, Purpose: models.Purpose(v.Purpose), Scopes: v.Scopes, Outcome: v.Outcome,
		Subject: subject, CreatedAt: v.CreatedAt, Hash: hash}, nil
}

// Export writes the whole log.
func (l *Log) Export(ctx context.Context, w io.Writer) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	if err := enc.Encode(exportHeader{Format: exportFormat, PublicKey: hex.EncodeToString(l.Public())}); err != nil {
		return err
	}
	heads, err := l.store.Audit.Heads(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		err := enc.Encode(exportHead{Day: h.Day, Seq: h.Seq, Hash: hex.EncodeToString(h.Hash), Signature: hex.EncodeToString(h.Signature)})
		if err != nil {
			return err
		}
	}
	if err := l.walk(ctx, heads, func(e models.AuditEntry) error { return enc.Encode(View(e)) }); err != nil {
		return err
	}
	return buffered.Flush()
}

// VerifyExport verifies an export without the deployment. public is the deployment's key as known from
// elsewhere; nil trusts the one in the export, which then proves its consistency only.
func VerifyExport(r io.Reader, public ed25519.PublicKey) (Report, error) {
	dec := json.NewDecoder(r)
	var header exportHeader
	if err := dec.Decode(&header); err != nil || header.Format != exportFormat {
		return Report{}, errors.New("this is not an export of the audit log")
	}
	stated, err := hex.DecodeString(header.PublicKey)
	if err != nil || len(stated) != ed25519.PublicKeySize {
		return Report{}, errors.New("the export's public key is damaged")
	}
	if public == nil {
		public = stated
	}
	e := exportReader{dec: dec, public: public}
	return e.read()
}

// exportReader reads lines into a verifier; the heads come before the entries.
type exportReader struct {
	dec    *json.Decoder
	public ed25519.PublicKey
	heads  []models.AuditHead
	v      *verifier
}

func (r *exportReader) read() (Report, error) {
	for line := 2; ; line++ {
		var raw json.RawMessage
		var head exportHead
		err := r.dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return r.verifier().finish(), nil
		}
		if err == nil {
			err = json.Unmarshal(raw, &head)
		}
		if err == nil && head.Day != "" {
			err = r.head(head)
		} else if err == nil {
			err = r.entry(raw)
		}
		if err != nil {
			return Report{}, fmt.Errorf("line %d of the export is damaged: %w", line, err)
		}
	}
}

func (r *exportReader) verifier() *verifier {
	if r.v == nil {
		r.v = newVerifier(r.public, r.heads)
	}
	return r.v
}

func (r *exportReader) head(h exportHead) error {
	hash, err := hex.DecodeString(h.Hash)
	if err != nil {
		return err
	}
	signature, err := hex.DecodeString(h.Signature)
	if err != nil {
		return err
	}
	if r.v != nil {
		return errors.New("a head stands behind an entry")
	}
	r.heads = append(r.heads, models.AuditHead{Day: h.Day, Seq: h.Seq, Hash: hash, Signature: signature})
	return nil
}

func (r *exportReader) entry(raw json.RawMessage) error {
	var view EntryView
	if err := json.Unmarshal(raw, &view); err != nil {
		return err
	}
	entry, err := view.entry()
	if err != nil {
		return err
	}
	r.verifier().entry(entry)
	return nil
}
