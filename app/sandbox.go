package app

import "idplatform/engines/registry"

// Identity is a test identity of the sandbox.
type Identity = registry.TestIdentity

// Identities lists the test identities, with which every outcome of every service can be tried.
func Identities() []Identity { return registry.Identities() }
