package store_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/models"
	"idplatform/store"
)

// beyondTenants are the methods that may do without the application's id, and why. "Repository.*" is all of one.
var beyondTenants = map[string]string{
	"Applications.*":         "the register of the applications themselves: who asks here does not know one yet, or administers them",
	"DataKeys.*":             "the deployment's own keys",
	"Leases.*":               "the processes' own",
	"Audit.Unsealed":         "the chain runs through the entries of all",
	"Audit.Last":             "the chain runs through the entries of all",
	"Audit.Seal":             "the chain runs through the entries of all",
	"Audit.Chain":            "the chain runs through the entries of all",
	"Audit.AddHead":          "the chain runs through the entries of all",
	"Audit.SetHead":          "the chain runs through the entries of all",
	"Audit.Head":             "the chain runs through the entries of all",
	"Audit.Heads":            "the chain runs through the entries of all",
	"Audit.OfSubject":        "a citizen sees who looked them up, whoever it was",
	"Events.Owner":           "a delivery, whose number is all that a workflow has, finds its application",
	"Events.Recent":          "an operator looks at the newest, whose ever they are",
	"Jobs.Due":               "the reconciler looks for what was left behind, whose ever it is",
	"Jobs.PutOff":            "the reconciler puts off what it has looked at, whose ever it is",
	"Batches.Due":            "the reconciler looks for what was left behind, whose ever it is",
	"Deliveries.Due":         "the reconciler looks for what was left behind, whose ever it is",
	"Deliveries.Failed":      "the reconciler looks for what was left behind, whose ever it is",
	"Deliveries.ReleaseHeld": "a process gives back what it holds, whose ever it is",
}

// A query on a tenant's data that does not name the tenant does not compile: the id is the first argument, with a type
// of its own.
func TestRepositories_TakeTheApplicationFirst(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	repositories := reflect.TypeFor[store.Store]()
	for i := range repositories.NumField() {
		field := repositories.Field(i)
		if !field.IsExported() {
			continue
		}
		for j := range field.Type.NumMethod() {
			method := field.Type.Method(j)
			name := field.Name + "." + method.Name
			if reason := excuse(name, used); reason != "" || method.Name == "Purge" { // purges go by age alone
				continue
			}
			require.GreaterOrEqual(t, method.Type.NumIn(), 3, name)
			require.Equal(t, reflect.TypeFor[context.Context](), method.Type.In(1), name)
			require.Equal(t, reflect.TypeFor[models.ApplicationID](), method.Type.In(2),
				"%s must take the application's id after the context, or stand in the list with its reason", name)
		}
	}
	for name := range beyondTenants {
		require.True(t, used[name], "%s is in the list but not there", name)
	}
}

func excuse(name string, used map[string]bool) string {
	repository, _, _ := strings.Cut(name, ".")
	for _, each := range []string{name, repository + ".*"} {
		if reason, ok := beyondTenants[each]; ok {
			used[each] = true
			return reason
		}
	}
	return ""
}
