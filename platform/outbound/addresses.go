package outbound

import "net/netip"

// network is a range of addresses that no URL of a caller may lead to.
type network struct {
	prefix netip.Prefix
	what   string
}

func networks(what string, prefixes ...string) []network {
	list := make([]network, len(prefixes))
	for i, p := range prefixes {
		list[i] = network{netip.MustParsePrefix(p), what}
	}
	return list
}

// closed are the ranges that are not the public internet, after the registries of special-purpose addresses
// (RFC 6890 and its updates). The first that holds an address names it.
var closed = concat(
	// Two metadata services have addresses of their own; the others are link-local.
	networks("a metadata service", "169.254.169.254/32", "168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32"),
	networks("unspecified", "0.0.0.0/8", "::/128"),
	networks("loopback", "127.0.0.0/8", "::1/128"),
	networks("link-local", "169.254.0.0/16", "fe80::/10"),
	networks("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
	networks("shared by a carrier", "100.64.0.0/10"),
	networks("multicast", "224.0.0.0/4", "ff00::/8"),
	networks("reserved", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"),
)

// global holds every IPv6 address in public use.
var global = netip.MustParsePrefix("2000::/3")

// tunnels are the forms of IPv6 that carry an IPv4 address, and the place of its first byte.
var tunnels = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64 (RFC 6052)
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4 (RFC 3056)
}

func concat(lists ...[]network) (all []network) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// refusal says why an address may not be reached; empty when it may.
func refusal(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if !address.IsValid() {
		return "no address"
	}
	for _, n := range closed {
		if n.prefix.Contains(address) {
			return n.what
		}
	}
	if address.Is4() {
		return ""
	}
	bytes := address.As16()
	for _, t := range tunnels {
		if t.prefix.Contains(address) {
			return refusal(netip.AddrFrom4([4]byte(bytes[t.at : t.at+4])))
		}
	}
	if !global.Contains(address) {
		return "reserved"
	}
	return ""
}
