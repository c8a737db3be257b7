/**
 * Is this host name (without port, IPv6 with or without brackets) certain to be this machine?
 * Only literal loopback addresses and the reserved name `localhost` count: anything else could be made to resolve
 * here by whoever owns the name, which is how a rebinding page gets in.
 */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** `localhost:3000` → `localhost`, `[::1]:80` → `::1`. */
export function hostName(hostHeader: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(hostHeader)
  if (bracketed?.[1] !== undefined) return bracketed[1].toLowerCase()
  return hostHeader.replace(/:\d*$/, '').toLowerCase()
}
