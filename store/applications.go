package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"idplatform/database"
	"idplatform/models"
)

// Applications keeps organisations, their applications and the applications' key pairs.
type Applications struct{ db *database.DB }

// Grant is an application with all that decides what it may do, as one row of one query: its organisation's
// subscription and one of its key pairs.
type Grant struct {
	models.Application
	OrganisationServices models.Words
	OrganisationScopes   models.Words
	KeyPairID            string
	KeyPairSealed        []byte
	KeyPairCreatedAt     models.Timestamp
	KeyPairExpiresAt     *models.Timestamp
}

const grantQuery = `SELECT a.id, a.organisation_id, a.name, a.key_id, a.services, a.scopes, a.purposes,
	a.production_services, a.created_at, a.updated_at,
	o.services, o.scopes, k.id, k.sealed, k.created_at, k.expires_at
FROM applications a
JOIN organisations o ON o.id = a.organisation_id
JOIN key_pairs k ON k.application_id = a.id
WHERE a.key_id = ? AND (k.expires_at IS NULL OR k.expires_at > ?)`

// Grants reads, in one indexed query, what the bearer of a key id may do: one row a valid key pair, the
// newest first; none for an unknown key. Nothing is cached, so that a change is effective at once on every
// instance.
func (r Applications) Grants(ctx context.Context, keyID string, now models.Timestamp) ([]Grant, error) {
	rows, err := r.db.Query(ctx, grantQuery, keyID, now)
	if err != nil {
		return nil, fmt.Errorf("read grants: %w", err)
	}
	defer rows.Close()
	var grants []Grant
	for rows.Next() {
		var g Grant
		err := rows.Scan(&g.ID, &g.OrganisationID, &g.Name, &g.KeyID, &g.Services, &g.Scopes, &g.Purposes,
			&g.ProductionServices, &g.CreatedAt, &g.UpdatedAt, &g.OrganisationServices, &g.OrganisationScopes,
			&g.KeyPairID, &g.KeyPairSealed, &g.KeyPairCreatedAt, &g.KeyPairExpiresAt)
		if err != nil {
			return nil, fmt.Errorf("read grants: %w", err)
		}
		grants = append(grants, g)
	}
	// One or two rows: the database would build a table to sort them.
	slices.SortFunc(grants, func(a, b Grant) int {
		return cmp.Or(b.KeyPairCreatedAt.Compare(a.KeyPairCreatedAt.Time), cmp.Compare(b.KeyPairID, a.KeyPairID))
	})
	return grants, rows.Err()
}

// CreateOrganisation adds an organisation.
func (r Applications) CreateOrganisation(ctx context.Context, o *models.Organisation) error {
	return r.db.Write(ctx).Create(o).Error
}

// Organisation reads an organisation, or ErrNotFound.
func (r Applications) Organisation(ctx context.Context, id string) (*models.Organisation, error) {
	var o models.Organisation
	err := r.db.Read(ctx).Where("id = ?", id).Take(&o).Error
	return &o, found("organisation", err)
}

// LockOrganisation reads an organisation inside a transaction and keeps others from changing it meanwhile. Who
// locks an application too locks its organisation first.
func (r Applications) LockOrganisation(ctx context.Context, id string) (*models.Organisation, error) {
	var o models.Organisation
	err := forUpdate(ctx, r.db).Where("id = ?", id).Take(&o).Error
	return &o, found("organisation", err)
}

// OrganisationNamed reads the organisation with the name that was registered first, or ErrNotFound.
func (r Applications) OrganisationNamed(ctx context.Context, name string) (*models.Organisation, error) {
	var o models.Organisation
	err := r.db.Read(ctx).Where("name = ?", name).Order("created_at, id").Take(&o).Error
	return &o, found("organisation", err)
}

// UpdateOrganisation writes what an organisation subscribes to.
func (r Applications) UpdateOrganisation(ctx context.Context, o *models.Organisation) error {
	return r.db.Write(ctx).Model(o).Select("services", "scopes").Updates(o).Error
}

// Create adds an application with its first key pair.
func (r Applications) Create(ctx context.Context, a *models.Application, pair *models.KeyPair) error {
	return r.db.Tx(ctx, func(ctx context.Context) error {
		if err := r.db.Write(ctx).Create(a).Error; err != nil {
			return err
		}
		return r.db.Write(ctx).Create(pair).Error
	})
}

// List reads every application, the oldest first.
func (r Applications) List(ctx context.Context) ([]models.Application, error) {
	var list []models.Application
	err := r.db.Read(ctx).Order("created_at, id").Find(&list).Error
	return list, err
}

// Get reads an application by id, or ErrNotFound.
func (r Applications) Get(ctx context.Context, id models.ApplicationID) (*models.Application, error) {
	var a models.Application
	err := r.db.Read(ctx).Where("id = ?", id).Take(&a).Error
	return &a, found("application", err)
}

// Lock reads an application inside a transaction and keeps others from changing it meanwhile.
func (r Applications) Lock(ctx context.Context, id models.ApplicationID) (*models.Application, error) {
	var a models.Application
	err := forUpdate(ctx, r.db).Where("id = ?", id).Take(&a).Error
	return &a, found("application", err)
}

// Lookup reads up to two applications by id, else by key id, else by exact name: a name that looks like the id
// of another application never hides it.
func (r Applications) Lookup(ctx context.Context, idOrKeyOrName string) (list []models.Application, err error) {
	for _, condition := range []string{"id = ?", "key_id = ?", "name = ?"} {
		err = r.db.Read(ctx).Where(condition, idOrKeyOrName).Order("created_at, id").Limit(2).Find(&list).Error
		if err != nil || len(list) > 0 {
			break
		}
	}
	return list, err
}

// UpdateGrants writes what an application may do, and nothing else of it. Production approval is no grant.
func (r Applications) UpdateGrants(ctx context.Context, a *models.Application) error {
	return r.db.Write(ctx).Model(a).
		Select("services", "scopes", "purposes", "updated_at").Updates(a).Error
}

// KeyPairs reads an application's pairs, the newest first.
func (r Applications) KeyPairs(ctx context.Context, id models.ApplicationID) ([]models.KeyPair, error) {
	var pairs []models.KeyPair
	err := r.db.Read(ctx).Where("application_id = ?", id).Order("created_at DESC, id DESC").Find(&pairs).Error
	return pairs, err
}

// Rotate adds a pair and lets every other pair of the application end at overlapEnd, unless it ends sooner.
func (r Applications) Rotate(ctx context.Context, id models.ApplicationID, next *models.KeyPair, overlapEnd models.Timestamp) error {
	return r.db.Tx(ctx, func(ctx context.Context) error {
		err := r.db.Write(ctx).Model(&models.KeyPair{}).
			Where("application_id = ? AND (expires_at IS NULL OR expires_at > ?)", id, overlapEnd).
			Update("expires_at", overlapEnd).Error
		if err != nil {
			return err
		}
		return r.db.Write(ctx).Create(next).Error
	})
}

// ReserveMessages sets aside a block of messages that may be encrypted under a key and gives the total set
// aside before it.
func (r Applications) ReserveMessages(ctx context.Context, id models.ApplicationID, keyPairID string, block int64) (before int64, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		pair := r.db.Write(ctx).Model(&models.KeyPair{}).Where("application_id = ? AND id = ?", id, keyPairID)
		if err := pair.Update("messages", gorm.Expr("messages + ?", block)).Error; err != nil {
			return err
		}
		var after int64
		err := r.db.Write(ctx).Model(&models.KeyPair{}).Where("application_id = ? AND id = ?", id, keyPairID).
			Pluck("messages", &after).Error
		before = after - block
		return err
	})
	return before, err
}
