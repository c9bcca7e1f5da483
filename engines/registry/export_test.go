package registry

// What the external tests look at beyond the package's interface.
var (
	LookupStatement  = lookupStatement
	ChangesStatement = changesStatement
	EncodeBlocks     = encodeBlocks
	DecodeBlocks     = decodeBlocks
)

// ReservedCitizens is the smallest population.
const ReservedCitizens = reservedCitizens
