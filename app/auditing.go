package app

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"idplatform/models"
	"idplatform/platform/audit"
)

// AuditReport is what a verification of the audit log found.
type AuditReport = audit.Report

// AuditEntry is an entry of the audit log as the commands show it.
type AuditEntry = audit.EntryView

// ErrAuditBroken says that the chain of the audit log does not hold.
var ErrAuditBroken = errors.New("the audit log was tampered with")

func (a *Deployment) auditLog() *audit.Log { return audit.NewLog(a.app.store, a.app.vault) }

// VerifyAudit goes over the whole chain of the audit log; ErrAuditBroken comes with the report.
func (a *Deployment) VerifyAudit(ctx context.Context) (AuditReport, error) {
	return judged(a.auditLog().Verify(ctx))
}

// VerifyAuditExport verifies an export file, without a deployment. publicKey is the deployment's, in hex, as
// noted at an earlier verification; with none the export's own is trusted, and whoever wrote the whole file anew
// is not found out.
func VerifyAuditExport(file, publicKey string) (AuditReport, error) {
	var public ed25519.PublicKey
	if publicKey != "" {
		key, err := hex.DecodeString(publicKey)
		if err != nil || len(key) != ed25519.PublicKeySize {
			return AuditReport{}, fmt.Errorf("a public key is %d bytes in hex, as audit verify shows it", ed25519.PublicKeySize)
		}
		public = key
	}
	f, err := os.Open(file)
	if err != nil {
		return AuditReport{}, err
	}
	report, err := audit.VerifyExport(f, public)
	return judged(report, errors.Join(err, f.Close()))
}

func judged(report AuditReport, err error) (AuditReport, error) {
	if err == nil && !report.Holds() {
		err = fmt.Errorf("%w: %d faults", ErrAuditBroken, len(report.Faults))
	}
	return report, err
}

// ExportAudit writes the whole audit log as JSON lines.
func (a *Deployment) ExportAudit(ctx context.Context, w io.Writer) error {
	return a.auditLog().Export(ctx, w)
}

// AuditOfCitizen shows the newest lookups of a citizen, by platform id.
func (a *Deployment) AuditOfCitizen(ctx context.Context, platformID string, limit int) ([]AuditEntry, error) {
	id, ok := models.Identifier{Type: models.PlatformID, Value: platformID}.Normalize()
	if !ok {
		return nil, errors.New("a citizen is named by platform id, such as COD-XXXX-XXXX-XXXX")
	}
	return viewEntries(a.auditLog().OfCitizen(ctx, id.Value, limit))
}

// AuditOfApplication shows the newest lookups of an application, by id, key id or name.
func (a *Deployment) AuditOfApplication(ctx context.Context, which string, limit int) ([]AuditEntry, error) {
	application, err := a.app.Admin.Find(ctx, which)
	if err != nil {
		return nil, err
	}
	return viewEntries(a.auditLog().OfApplication(ctx, application.ID, limit))
}

func viewEntries(entries []models.AuditEntry, err error) ([]AuditEntry, error) {
	views := make([]AuditEntry, len(entries))
	for i, e := range entries {
		views[i] = audit.View(e)
	}
	return views, err
}
