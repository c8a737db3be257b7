import { type Dsn, parseDsn } from '../protocol/dsn'

/** That of a collector without an upstream. */
const DEFAULT_DSN = 'http://local@127.0.0.1:8969/1'

/**
 * The DSN of an app on the path, and the address of its collector: the given one, else WAYSTATION_DSN, which `waystation
 * run` sets, else the default. An empty variable counts as none.
 * @param caller named in the error
 * @throws TypeError for a malformed DSN
 */
export function localDsn(
  given: string | undefined,
  caller: string,
): { readonly dsn: Dsn; readonly collectorUrl: string } {
  const parsed = parseDsn(given ?? (process.env.WAYSTATION_DSN || DEFAULT_DSN))
  if (!parsed.ok) throw new TypeError(`${caller}: ${parsed.error}`)
  const { protocol, host, path } = parsed.value
  return { dsn: parsed.value, collectorUrl: `${protocol}://${host}${path}` }
}
