package catalog

import "idplatform/models"

// Envelope is what the results of identity services have in common (specification, Common result
// envelope). A result type embeds it.
type Envelope struct {
	ID        string           `json:"id" doc:"Identifier of the result."`
	Object    string           `json:"object" doc:"Object type of the service."`
	Livemode  bool             `json:"livemode" doc:"True in production, false in the sandbox."`
	Reference *string          `json:"reference" nullable:"true" doc:"The caller's reference, echoed."`
	Status    string           `json:"status" enum:"completed" doc:"Always completed on a result."`
	Purpose   models.Purpose   `json:"purpose" doc:"The declared purpose."`
	CreatedAt models.Timestamp `json:"created_at" doc:"When the result was made."`
}

// Stamp implements Result.
func (e *Envelope) Stamp(s Stamp) {
	e.ID, e.Object, e.Livemode, e.Reference = s.ID, s.Object, s.Livemode, s.Reference
	e.Status, e.Purpose, e.CreatedAt = "completed", s.Purpose, s.CreatedAt
}
