package access

// PairsReady counts the pairs that were unsealed whole.
func (c *Caller) PairsReady() (n int) {
	for _, pair := range c.pairs {
		if pair.Key != nil {
			n++
		}
	}
	return n
}
