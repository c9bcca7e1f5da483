package catalog

import (
	"encoding/json"

	"idplatform/models"
)

// Delivery says how file objects reach the caller.
type Delivery string

// The deliveries of the specification.
const (
	SignedURL Delivery = "signed_url"
	Base64    Delivery = "base64"
)

// File is a file object of a result (specification, File object). In a stored result it is a reference
// only; URL and expiry, or the data, are put in whenever the result is shown.
type File struct {
	ContentType string            `json:"content_type" doc:"Media type of the file."`
	URL         string            `json:"url,omitempty" format:"uri" doc:"Where to fetch the file (signed_url delivery). Fetch it server-side; do not store the URL."`
	ExpiresAt   *models.Timestamp `json:"expires_at,omitempty" doc:"When the URL ends (signed_url delivery)."`
	Data        string            `json:"data,omitempty" doc:"The file itself in base64 (base64 delivery)."`

	// Ref names the file to the platform's file port, and Delivery says how to show it.
	Ref      string   `json:"-"`
	Delivery Delivery `json:"-"`
}

// MarshalJSON writes the stored form of a file that has a reference: {"content_type", "$file"}. The member
// $file is replaced when the result is shown (platform/files) and never reaches a caller.
func (f File) MarshalJSON() ([]byte, error) {
	if f.Ref == "" {
		type shown File
		return json.Marshal(shown(f))
	}
	return json.Marshal(struct {
		ContentType string `json:"content_type"`
		Stored      string `json:"$file"`
	}{f.ContentType, string(f.Delivery) + " " + f.Ref})
}
