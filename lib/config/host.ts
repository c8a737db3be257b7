const NAME = /^[a-z0-9._-]+$/i
/** Two colons at least: `localhost:3000` is a name with a port, not an address. */
const IPV6 = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i

/** A name or address without a port; IPv6 bare or in brackets, bare in the answer. `null` when it is not one. */
export function bareHost(text: string): string | null {
  const bare = /^\[([^\]]*)\]$/.exec(text)?.[1]
  if (bare !== undefined) return IPV6.test(bare) ? bare.toLowerCase() : null
  return NAME.test(text) || IPV6.test(text) ? text.toLowerCase() : null
}

/** Where this machine reaches a collector that listens there: "every address" is none to connect to. */
export function reachedAt(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
