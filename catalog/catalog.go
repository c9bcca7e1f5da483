package catalog

import (
	"fmt"
	"slices"

	"idplatform/models"
)

// Catalog is the list of operations the platform serves.
type Catalog struct {
	operations []*Operation
	byService  map[string]*Operation
}

// New collects operations. Two that share a service name, a path, an object type or an id prefix are refused.
func New(operations ...*Operation) (*Catalog, error) {
	c := &Catalog{operations: operations, byService: map[string]*Operation{}}
	taken := map[string]string{}
	for _, op := range operations {
		for _, name := range []string{"service " + op.Service, "path " + op.Path, "object " + op.Object, "id prefix " + op.IDPrefix} {
			if other, dup := taken[name]; dup {
				return nil, fmt.Errorf("the operations %s and %s share the %s", other, op.Service, name)
			}
			taken[name] = op.Service
		}
		c.byService[op.Service] = op
	}
	return c, nil
}

// Operations lists the operations in the order they were given.
func (c *Catalog) Operations() []*Operation { return c.operations }

// Find is the operation of a service, or nil.
func (c *Catalog) Find(service string) *Operation { return c.byService[service] }

// EventTypes are the types of events there are: the platform's, and those that its operations send when an
// asynchronous call completes.
func (c *Catalog) EventTypes() []models.EventType {
	types := models.EventTypes()
	for _, op := range c.operations {
		if typ := models.EventType(op.Event); !slices.Contains(types, typ) {
			types = append(types, typ)
		}
	}
	return types
}

// Services are the names that can be enabled on an application.
func (c *Catalog) Services() []string {
	names := make([]string, len(c.operations))
	for i, op := range c.operations {
		names[i] = op.Service
	}
	return names
}
