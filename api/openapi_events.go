package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"idplatform/models"
	"idplatform/platform/webhooks"
)

// EventList is a page of events, for the document.
type EventList struct {
	Object     string              `json:"object" enum:"list"`
	Data       []webhooks.Envelope `json:"data"`
	NextCursor *string             `json:"next_cursor" nullable:"true" doc:"Pass as cursor to read on; null at the end."`
}

// events describes the reading of events. The same envelope is what webhooks post.
func (d *documentBuilder) events(known []models.EventType) {
	const tag = "Events"
	d.tags = append(d.tags, &huma.Tag{Name: tag, Description: "What happened, for 30 days. Each event is also posted to the application's webhook endpoint; one that was missed there can be read here."})
	types := make([]any, 0, len(known))
	for _, t := range known {
		types = append(types, string(t))
	}
	event := d.schema(reflect.TypeFor[webhooks.Envelope]())
	d.registry.SchemaFromRef(event.Ref).Properties["type"].Enum = types
	d.path("/v1/events").Get = d.about(tag, &huma.Operation{OperationID: "event_list", Summary: "List events",
		Description: "Newest first.",
		Parameters: []*huma.Param{
			{Name: "type", In: "query", Description: "Events of this type only.", Schema: &huma.Schema{Type: huma.TypeString, Enum: types}},
			{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(webhooks.PageMost)), Default: webhooks.PageDefault}},
			{Name: "cursor", In: "query", Description: "The previous next_cursor, with the same type.", Schema: &huma.Schema{Type: huma.TypeString}},
		},
	}, d.schema(reflect.TypeFor[EventList]()))
	d.path("/v1/events/{id}").Get = d.about(tag, &huma.Operation{OperationID: "event_retrieve", Summary: "An event",
		Description: "As it was, or would have been, posted to the endpoint.", Parameters: idParameter()}, event, http.StatusNotFound)
}
