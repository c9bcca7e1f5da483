package models

// ApplicationID names an application: the tenant. Every repository method on a tenant's data takes it first,
// so that a query without one does not compile.
type ApplicationID string

// Organisation is a registered body whose applications call the platform. Services and Scopes are what it
// subscribes to: the first of the three layers of a grant.
type Organisation struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	Services  Words
	Scopes    Words
	CreatedAt Timestamp
}

// Application is one integration of an organisation: the second layer of a grant.
type Application struct {
	ID             ApplicationID `gorm:"primaryKey"`
	OrganisationID string
	Name           string
	// KeyID is the public name of its credentials; it stays when they rotate.
	KeyID    string
	Services Words
	Scopes   Words
	Purposes Words
	// ProductionServices are the services approved for production use.
	ProductionServices Words
	CreatedAt          Timestamp
	UpdatedAt          Timestamp
}

// KeyPair is an API secret with its encryption key, sealed under the deployment's master key. An application
// has one, and during a rotation the outgoing one besides.
type KeyPair struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	// Sealed holds the secret's 32 bytes, then the encryption key's.
	Sealed    []byte
	CreatedAt Timestamp
	// ExpiresAt ends the overlap of an outgoing pair; nil on the current one.
	ExpiresAt *Timestamp
	// Messages counts the messages that were set aside for encryption under the key, in blocks.
	Messages int64
}

// Used reports whether a verified request has come under the pair: the first one sets messages aside for it.
func (k KeyPair) Used() bool { return k.Messages > 0 }

// Valid reports whether the pair has not ended.
func (k KeyPair) Valid(now Timestamp) bool { return k.ExpiresAt == nil || k.ExpiresAt.After(now.Time) }
