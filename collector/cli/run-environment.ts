import { STAND_IN } from '../../lib/config/environment'

type Variables = Readonly<Record<string, string | undefined>>

/** Under these the tools of browsers look for what they may write into a page. */
export const CLIENT_PREFIXES = [
  'NEXT_PUBLIC_',
  'VITE_',
  'PUBLIC_',
  'REACT_APP_',
  'NUXT_PUBLIC_',
  'EXPO_PUBLIC_',
  'GATSBY_',
  'VUE_APP_',
] as const

/** Every variable that the program finds the local DSN in. */
const DSN_VARIABLES: readonly string[] = ['SENTRY_DSN', ...CLIENT_PREFIXES.map((prefix) => `${prefix}SENTRY_DSN`)]

/** Whom a proxy is not asked for. Not ::1, which no DSN of ours names and older HTTP libraries read as a port. */
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost']
const NO_PROXY: readonly string[] = ['NO_PROXY', 'no_proxy']
/** In either case; programs differ in which they read. */
const PROXIES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
])

/** The variables by which this environment sends what a program posts to a proxy. */
export const proxiesOf = (own: Variables): readonly string[] => PROXIES.filter((name) => own[name])

/** What a proxy is left out for: what it was before in either spelling, and this machine. */
function withoutProxy(own: Variables): string {
  const before = NO_PROXY.flatMap((name) => (own[name] ?? '').split(',').map((host) => host.trim()))
  // Everything already; beside other names programs would not know it for that.
  if (before.includes('*')) return '*'
  return [...new Set([...before, ...LOOPBACK])].filter((host) => host !== '').join(',')
}

/**
 * The environment of the program that is run.
 * @param own of the shell that we were started from, without what `.env` files of ours say
 */
export const programEnvironment = (
  own: Variables,
  { localDsn, url }: { readonly localDsn: string; readonly url: string },
): Record<string, string | undefined> => ({
  ...own,
  ...Object.fromEntries(DSN_VARIABLES.map((name) => [name, localDsn])),
  ...Object.fromEntries(NO_PROXY.map((name) => [name, withoutProxy(own)])),
  WAYSTATION_COLLECTOR_URL: url,
})

/**
 * The environment of the recording's collector: everything as it is set, but for where it is and whom it relays to. The
 * stand-in is played by the collector itself, so nobody has to ask for it twice.
 */
export function collectorEnvironment(all: Variables, relay: boolean): Record<string, string | undefined> {
  const { WAYSTATION_COLLECTOR_URL, WAYSTATION_UPSTREAM, WAYSTATION_DSNS, WAYSTATION_RELAY, ...rest } = all
  if (!relay) return WAYSTATION_UPSTREAM === STAND_IN ? { ...rest, WAYSTATION_UPSTREAM } : rest
  if (WAYSTATION_UPSTREAM || WAYSTATION_DSNS) return { ...rest, WAYSTATION_UPSTREAM, WAYSTATION_DSNS }
  // Who asks for relaying asks for it to SENTRY_DSN, too, where nothing else is named.
  return { ...rest, WAYSTATION_RELAY: 'on' }
}
