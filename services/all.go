// Package services lists the platform's services. A new service is one package beside this file and one
// line in All.
package services

import (
	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/services/kyc"
)

// Engines are what stands behind the services.
type Engines struct {
	Register registry.Register
}

// All is the catalog of the platform.
func All(e Engines) (*catalog.Catalog, error) {
	return catalog.New(
		kyc.Operation(e.Register),
	)
}
