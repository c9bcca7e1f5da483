package catalog

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"idplatform/errs"
)

// batchLevel are the fields that may stand once for all items of a batch (specification, Common request
// rules); a service takes those that its single request has.
var batchLevel = []string{"purpose", "scopes", "document_delivery", "threshold", "reason", "liveness", "product"}

// BatchFields are the batch-level fields of the operation.
func (o *Operation) BatchFields() []string {
	var names []string
	for _, name := range batchLevel {
		if _, ok := o.shape.schema.Properties[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

// batchShape is the shape of the batch itself; items are judged one by one.
func (o *Operation) batchShape() *shape {
	schema := &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: false, Required: []string{"items"},
		Properties: map[string]*huma.Schema{"items": {Type: huma.TypeArray, MinItems: new(1), Items: &huma.Schema{}}},
	}
	for _, name := range o.BatchFields() {
		schema.Properties[name] = o.shape.schema.Properties[name]
	}
	schema.PrecomputeMessages()
	return &shape{registry: o.shape.registry, schema: schema}
}

// BatchItem is an item as sent, with what it inherits of its batch.
type BatchItem struct {
	value  any
	faults []errs.Field
}

// Reference is the item's reference, nil when it is missing or could not be echoed.
func (i BatchItem) Reference() *string {
	object, _ := i.value.(map[string]any)
	reference, ok := object["reference"].(string)
	if n := len([]rune(reference)); !ok || n < 1 || n > 255 {
		return nil
	}
	return &reference
}

// Delivery is the delivery that the item asks for.
func (i BatchItem) Delivery() Delivery {
	object, _ := i.value.(map[string]any)
	delivery, _ := object["document_delivery"].(string)
	return Delivery(delivery)
}

// DecodeBatch reads a batch of at most limit items. It fails only for what is wrong with the batch as a whole.
func (o *Operation) DecodeBatch(body []byte, limit int) ([]BatchItem, error) {
	tree, err := Parse(body)
	if err != nil {
		return nil, err
	}
	own, ofItems := splitFaults(tree.Faults)
	if own = append(own, o.batch.faults(tree.Value)...); len(own) > 0 {
		return nil, errs.Invalid(own...)
	}
	batch := tree.Value.(map[string]any)
	values := batch["items"].([]any)
	if len(values) > limit {
		return nil, errs.New(errs.BatchTooLarge).With("limit", limit)
	}
	items := make([]BatchItem, len(values))
	for i, value := range values {
		if object, ok := value.(map[string]any); ok {
			o.inherit(object, batch)
		}
		items[i] = BatchItem{value: value, faults: ofItems[i]}
	}
	return items, nil
}

// inherit gives an item the batch-level fields that it does not set itself; null does not set one.
func (o *Operation) inherit(item, batch map[string]any) {
	for _, name := range o.BatchFields() {
		if own, set := item[name]; (!set || own == nil) && batch[name] != nil {
			item[name] = batch[name]
		}
	}
}

// DecodeItem reads an item as a request; every fault of it is in the one error.
func (o *Operation) DecodeItem(item BatchItem) (Request, error) {
	if _, ok := item.value.(map[string]any); !ok {
		return nil, errs.Invalid(errs.Field{Field: "", Problem: "an item must be an object"})
	}
	faults := item.faults
	if object := item.value.(map[string]any); object["reference"] == nil {
		faults = append(faults, errs.Field{Field: "reference", Problem: "is required for an item of a batch"})
	}
	return o.DecodeValue(item.value, faults)
}

var itemPath = regexp.MustCompile(`^items\[(\d+)\]\.?`)

// splitFaults tells the faults of the batch itself from those of its items, whose paths become the item's own.
func splitFaults(faults []errs.Field) (own []errs.Field, ofItems map[int][]errs.Field) {
	for _, f := range faults {
		at := itemPath.FindStringSubmatch(f.Field)
		if at == nil {
			own = append(own, f)
			continue
		}
		index, err := strconv.Atoi(at[1])
		if err != nil {
			own = append(own, f)
			continue
		}
		if ofItems == nil {
			ofItems = map[int][]errs.Field{}
		}
		ofItems[index] = append(ofItems[index], errs.Field{Field: strings.TrimPrefix(f.Field, at[0]), Problem: f.Problem})
	}
	return own, ofItems
}
