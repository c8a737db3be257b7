import { type Dsn, formatDsn, parseDsn } from '../../lib/protocol/dsn'
import { hostName, isLoopbackName } from '../../lib/protocol/request'
import type { Admission } from '../../lib/wire/overview'
import { broken, type Look, notLookedAt, ok } from './doctor-link'
import { proxiesOf } from './run-environment'

type Variables = Readonly<Record<string, string | undefined>>

/** The DSN that the SDK has, and from where we know it. */
export interface SdkDsn {
  readonly from: '--dsn' | 'SENTRY_DSN'
  readonly text: string
}

/**
 * Where does the SDK send to?
 * @param localDsn `null` where no collector says it
 * @param behindTunnel a tunnel was found, so that pages do not use the host of the DSN
 */
export function lookAtDsn(
  given: SdkDsn | null,
  {
    collectorUrl,
    localDsn,
    behindTunnel,
  }: { readonly collectorUrl: string; readonly localDsn: string | null; readonly behindTunnel: boolean },
): Look {
  const paste = localDsn === null ? '' : `: ${localDsn}`
  if (given === null)
    return notLookedAt(
      'No DSN is named, and SENTRY_DSN is not set.',
      `Name the one that your SDK has with --dsn; here it is to be the local DSN${paste}`,
    )
  const dsn = parseDsn(given.text)
  if (!dsn.ok) return broken(`${given.from} is no DSN: ${dsn.error}.`, `Set it to the local DSN${paste}`)
  if (leadsTo(dsn.value, collectorUrl)) return ok(`${given.from} leads to the collector, ${dsn.value.host}.`)
  if (behindTunnel && isLoopbackName(hostName(dsn.value.host)))
    return broken(
      `${given.from} leads to ${dsn.value.host}, and the collector is at ${new URL(collectorUrl).host}: what pages send by the tunnel arrives, what servers and scripts send there does not.`,
      `Give the SDK the local DSN${paste}`,
    )
  if (behindTunnel)
    return ok(
      `${given.from} leads to ${dsn.value.host}; what pages send by the tunnel arrives here all the same.`,
      `A server or script that does not send by it needs the local DSN${paste}`,
    )
  return broken(
    `${given.from} leads to ${dsn.value.host}: what the SDK sends passes the collector by.`,
    `Give the SDK the local DSN${paste} – or its option tunnel, if it is in a page.`,
  )
}

function leadsTo({ protocol, host }: Dsn, collectorUrl: string): boolean {
  const [sent, ours] = [new URL(`${protocol}://${host}`), new URL(collectorUrl)]
  const isSame = (one: URL, other: URL): boolean =>
    one.hostname === other.hostname || (isLoopbackName(one.hostname) && isLoopbackName(other.hostname))
  return isSame(sent, ours) && portOf(sent) === portOf(ours)
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** Is what has this DSN let in at the collector's endpoint? */
export async function lookAtAdmission(
  given: SdkDsn | null,
  localDsn: string,
  ask: (of: { readonly key: string; readonly project: string }) => Promise<Admission>,
): Promise<Look> {
  const dsn = given === null ? null : parseDsn(given.text)
  if (given === null || dsn === null || !dsn.ok) return notLookedAt('There is no DSN to ask about.')
  const { publicKey, projectId } = dsn.value
  const { admitted, localOnly } = await ask({ key: publicKey, project: projectId })
  if (!admitted)
    return broken(
      `Project ${projectId} with the key of ${given.from} is refused with 403: no upstream has it.`,
      `Give the SDK the local DSN: ${localDsn} – or name its DSN in WAYSTATION_DSNS, too, and start the collector again.`,
    )
  return ok(
    localOnly
      ? 'Every key and project is let in, for nothing is relayed.'
      : `Project ${projectId} with this key is let in.`,
  )
}

/** What in the environment keeps an SDK from sending, or sends elsewhere what it sends. */
export function lookAtVariables(own: Variables): Look {
  const proxies = proxiesOf(own)
  const spared = ['NO_PROXY', 'no_proxy'].flatMap((name) => (own[name] ?? '').split(',').map((host) => host.trim()))
  if (proxies.length > 0 && !spared.some((host) => host === '*' || isLoopbackName(host)))
    return broken(
      `${proxies.join(', ')} ${proxies.length === 1 ? 'sends' : 'send'} what a program posts to a proxy, which does not reach this machine.`,
      'Set NO_PROXY=127.0.0.1,localhost beside it.',
    )
  const mode = own.NODE_ENV
  if (mode === 'test' || mode === 'development')
    return ok(
      `NODE_ENV=${mode}: many apps switch their SDK off there (enabled: process.env.NODE_ENV === 'production').`,
    )
  return ok(proxies.length === 0 ? 'No proxy is set.' : `${proxies.join(', ')} leave this machine out.`)
}

/** The DSN to look at: as typed, else as the environment says it. */
export const sdkDsn = (typed: string | null, own: Variables): SdkDsn | null =>
  typed !== null ? { from: '--dsn', text: typed } : own.SENTRY_DSN ? { from: 'SENTRY_DSN', text: own.SENTRY_DSN } : null

/** A DSN with its key cut short: a public key is no secret, but no ornament either. */
export function shownDsn(text: string): string {
  const dsn = parseDsn(text)
  return dsn.ok ? formatDsn({ ...dsn.value, publicKey: `${dsn.value.publicKey.slice(0, 6)}…` }) : text
}
