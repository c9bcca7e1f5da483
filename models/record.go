package models

// Result is a service's result as kept for its retention: the body sealed, everything else in clear.
type Result struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	Service       string
	Body          []byte
	CreatedAt     Timestamp
	ExpiresAt     Timestamp
}

// AuditEntry tells that an application called a service, for which purpose and with which scopes, and whose
// record was looked at. It commits with the result.
type AuditEntry struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	Service       string
	ResultID      string
	Purpose       Purpose
	Scopes        Words
	Outcome       string
	// Subject is the blind index of the citizen looked at; empty when nobody was found.
	Subject   []byte
	CreatedAt Timestamp
	// Seq is the entry's place in the chain and Hash its link; nil until the sealer has come by.
	Seq  *int64
	Hash []byte
}

// AuditHead is the end of the chain on a day (UTC), signed; Day is "latest" for its present end.
type AuditHead struct {
	Day       string `gorm:"primaryKey"`
	Seq       int64
	Hash      []byte
	Signature []byte
}

// Nonce is a request's nonce, remembered until its timestamp can no longer be in the window.
type Nonce struct {
	ApplicationID ApplicationID `gorm:"primaryKey"`
	Nonce         []byte        `gorm:"primaryKey"`
	ExpiresAt     Timestamp
}

// DataKey is a key that seals rows, itself wrapped under the deployment's master key.
type DataKey struct {
	ID        uint32 `gorm:"primaryKey"`
	Use       DataKeyUse
	Wrapped   []byte
	CreatedAt Timestamp
}

// DataKeyUse says what a data key is for.
type DataKeyUse string

// The uses of data keys.
const (
	SealingKey DataKeyUse = "sealing" // AES-256-GCM over rows; renewed
	IndexKey   DataKeyUse = "index"   // HMAC-SHA256 blind indexes; one for the life of the deployment
)
