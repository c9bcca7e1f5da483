package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"idplatform/models"
)

// The search attributes by which operators list workflows. Their values stand in clear: never personal data.
var (
	attributeApplication = temporal.NewSearchAttributeKeyKeyword("PlatformApplication")
	attributeService     = temporal.NewSearchAttributeKeyKeyword("PlatformService")
	attributeStatus      = temporal.NewSearchAttributeKeyKeyword("PlatformStatus")
)

// SearchAttributes are the names that a namespace must have, all of type Keyword.
func SearchAttributes() []string {
	return []string{attributeApplication.GetName(), attributeService.GetName(), attributeStatus.GetName()}
}

// Attributes are those of a workflow that works for an application.
func Attributes(app models.ApplicationID, service string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(attributeApplication.ValueSet(string(app)), attributeService.ValueSet(service),
		attributeStatus.ValueSet("pending"))
}

// showStatus tells operators how the object of a workflow ended.
func showStatus(ctx workflow.Context, status string) error {
	return workflow.UpsertTypedSearchAttributes(ctx, attributeStatus.ValueSet(status))
}
