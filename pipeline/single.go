package pipeline

import "context"

// Single is a single synchronous call, from the plaintext body to the stored answer.
func (p *Pipeline) Single(ctx context.Context, r Request) (Answer, error) {
	return p.Once(ctx, r, func(ctx context.Context, keep Keep) (Answer, error) {
		call, err := p.Admit(r)
		if err != nil {
			return Answer{}, err
		}
		outcomes, err := p.Execute(ctx, []*Call{call}, func(ctx context.Context, outcomes []Outcome) error {
			if outcomes[0].Err != nil {
				return outcomes[0].Err
			}
			return keep(ctx, Answer{Body: outcomes[0].Body})
		})
		if err != nil {
			return Answer{}, err
		}
		return Answer{Body: outcomes[0].Body, Shown: outcomes[0].Shown}, nil
	})
}
