package wire

// SealWith encrypts under a given IV, so that tests can compare with vectors.
func (k *Key) SealWith(iv, plaintext, aad []byte) (string, []byte) {
	return k.sealWith(iv, plaintext, aad)
}
