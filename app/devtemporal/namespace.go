package devtemporal

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// setRetention is needed on the first start too: the command line cannot say how long closed workflows stay.
func (s *Server) setRetention(ctx context.Context, c client.Client) error {
	updated, err := c.WorkflowService().UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
		Namespace: s.opts.Namespace,
		Config:    &namespace.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(Retention)},
	})
	if err != nil {
		return fmt.Errorf("set the retention of namespace %s to %s: %w", s.opts.Namespace, Retention, err)
	}
	if got := updated.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != Retention {
		return fmt.Errorf("namespace %s keeps closed workflows for %s and not for %s", s.opts.Namespace, got, Retention)
	}
	return nil
}

// ensureSearchAttributes adds those that are missing and then compares: adding one that exists with another type returns
// no error and changes nothing. They are not given on the command line, which heeds them only for a new namespace.
func (s *Server) ensureSearchAttributes(ctx context.Context, c client.Client) error {
	wanted, err := s.opts.attributeTypes()
	if err != nil || len(wanted) == 0 {
		return err
	}
	present, err := s.searchAttributes(ctx, c)
	if err != nil {
		return err
	}
	missing := maps.Clone(wanted)
	maps.DeleteFunc(missing, func(name string, _ enums.IndexedValueType) bool { _, ok := present[name]; return ok })
	if len(missing) > 0 {
		_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: s.opts.Namespace, SearchAttributes: missing,
		})
		if err != nil {
			return fmt.Errorf("add search attributes to namespace %s: %w", s.opts.Namespace, err)
		}
		if present, err = s.searchAttributes(ctx, c); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if got := present[name]; got != wanted[name] {
			return fmt.Errorf("search attribute %s of namespace %s is of type %s and must be %s: choose another data folder with --data, or rename the old one with `temporal operator search-attribute`",
				name, s.opts.Namespace, got, wanted[name])
		}
	}
	return nil
}

func (s *Server) searchAttributes(ctx context.Context, c client.Client) (map[string]enums.IndexedValueType, error) {
	listed, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: s.opts.Namespace})
	if err != nil {
		return nil, fmt.Errorf("list the search attributes of namespace %s: %w", s.opts.Namespace, err)
	}
	return listed.GetCustomAttributes(), nil
}

func (o Options) attributeTypes() (map[string]enums.IndexedValueType, error) {
	types := make(map[string]enums.IndexedValueType, len(o.SearchAttributes))
	for name, typeName := range o.SearchAttributes {
		t, err := enums.IndexedValueTypeFromString(typeName)
		if err != nil || t == enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return nil, fmt.Errorf("search attribute %s has the unknown type %q: give Keyword, Text, Int, Double, Bool, Datetime or KeywordList", name, typeName)
		}
		types[name] = t
	}
	return types, nil
}
