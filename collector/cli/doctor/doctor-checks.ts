import { plainText, plural } from '../../../lib/format'
import { type Dsn, formatDsn, parseDsn } from '../../../lib/protocol/dsn'
import { hostName, isLoopbackName } from '../../../lib/protocol/request'
import type { JournalFact } from '../../../lib/wire/journal'
import type { Admission, Overview, Status, UpstreamState } from '../../../lib/wire/overview'
import type { Storage } from '../../../lib/wire/storage'
import { strandedSentence, unownedSentence } from '../../../lib/wire/stranded'
import { proxiesOf } from '../run/run-program'

export interface Check {
  readonly id: string
  readonly title: string
  readonly state: 'ok' | 'broken' | 'skipped'
  readonly found: string
  readonly fix: string | null
}

export type CheckResult = Omit<Check, 'id' | 'title'>

export const ok = (found: string, fix: string | null = null): CheckResult => ({ state: 'ok', found, fix })
export const broken = (found: string, fix: string): CheckResult => ({ state: 'broken', found, fix })
export const skipped = (found: string, fix: string | null = null): CheckResult => ({ state: 'skipped', found, fix })

const GLYPHS = { ok: '✓', broken: '✗', skipped: '?' } as const
const TITLE_WIDTH = 12

/** All checks as text: a line each, the fix below it, and a line that counts. */
export function checksText(checks: readonly Check[]): string {
  const count = (state: Check['state']): number => checks.filter((check) => check.state === state).length
  const skippedChecks = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  const summary =
    count('broken') === 0
      ? `No check failed${skippedChecks}.`
      : `${plural(count('broken'), 'check')} failed${skippedChecks}.`
  return [
    ...checks.flatMap(({ title, state, found, fix }) => [
      `${GLYPHS[state]} ${title.padEnd(TITLE_WIDTH)} ${plainText(found)}`,
      ...(fix === null ? [] : [`${' '.repeat(TITLE_WIDTH + 3)}${plainText(fix)}`]),
    ]),
    '',
    summary,
  ].join('\n')
}

export const checksJson = (checks: readonly Check[]): string =>
  JSON.stringify({ checks }, (_name, value: unknown) => (typeof value === 'string' ? plainText(value) : value), 2)

type Variables = Readonly<Record<string, string | undefined>>

/** Checks environment variables that keep an SDK from sending, or send its requests elsewhere. */
export function checkVariables(own: Variables): CheckResult {
  const proxies = proxiesOf(own)
  const exceptions = ['NO_PROXY', 'no_proxy'].flatMap((name) => (own[name] ?? '').split(',').map((host) => host.trim()))
  if (proxies.length > 0 && !exceptions.some((host) => host === '*' || isLoopbackName(host)))
    return broken(
      `${proxies.join(', ')} ${proxies.length === 1 ? 'sends' : 'send'} requests to a proxy, which cannot reach this machine.`,
      'Also set NO_PROXY=127.0.0.1,localhost.',
    )
  const mode = own.NODE_ENV
  if (mode === 'test' || mode === 'development')
    return ok(`NODE_ENV=${mode}: many apps disable their SDK there (enabled: process.env.NODE_ENV === 'production').`)
  return ok(proxies.length === 0 ? 'No proxy is set.' : `${proxies.join(', ')}: not used for this machine.`)
}

export interface SdkDsn {
  readonly from: '--dsn' | 'WAYSTATION_DSN' | 'SENTRY_DSN'
  readonly text: string
}

/** The DSN that was typed, else the one that an app on the path reads from its environment. */
export function sdkDsn(typed: string | null, own: Variables): SdkDsn | null {
  if (typed !== null) return { from: '--dsn', text: typed }
  if (own.WAYSTATION_DSN) return { from: 'WAYSTATION_DSN', text: own.WAYSTATION_DSN }
  return own.SENTRY_DSN ? { from: 'SENTRY_DSN', text: own.SENTRY_DSN } : null
}

/**
 * @param localDsn null when no collector answers
 * @param behindTunnel the app has a tunnel, so its pages do not use the host of the DSN
 */
export function checkDsn(
  given: SdkDsn | null,
  {
    collectorUrl,
    localDsn,
    behindTunnel,
  }: { readonly collectorUrl: string; readonly localDsn: string | null; readonly behindTunnel: boolean },
): CheckResult {
  const local = localDsn === null ? '' : `: ${localDsn}`
  if (given === null)
    return skipped(
      '--dsn, WAYSTATION_DSN and SENTRY_DSN are not set.',
      `Pass the DSN of your SDK with --dsn. To send here, it has to be the local DSN${local}`,
    )
  const dsn = parseDsn(given.text)
  if (!dsn.ok) return broken(`${given.from} is not a DSN: ${dsn.error}.`, `Set it to the local DSN${local}`)
  if (leadsTo(dsn.value, collectorUrl)) return ok(`${given.from} leads to the collector, ${dsn.value.host}.`)
  if (behindTunnel && isLoopbackName(hostName(dsn.value.host)))
    return broken(
      `${given.from} leads to ${dsn.value.host}, but the collector is at ${new URL(collectorUrl).host}: requests of pages arrive through the tunnel, those of servers and scripts do not.`,
      `Give the SDK the local DSN${local}`,
    )
  if (behindTunnel && given.from === 'SENTRY_DSN')
    return broken(
      `SENTRY_DSN leads to ${dsn.value.host}: a server that reads it sends past the collector, and only requests of pages arrive, through the tunnel.`,
      `Unset it, or let the server read WAYSTATION_DSN first, as docs/own-apps.md shows, and set that to the local DSN${local}`,
    )
  if (behindTunnel)
    return ok(
      `${given.from} leads to ${dsn.value.host}; requests of pages arrive through the tunnel.`,
      `Servers and scripts without the tunnel need the local DSN${local}`,
    )
  return broken(
    `${given.from} leads to ${dsn.value.host}, not to the collector.`,
    `Give the SDK the local DSN${local} – or, in a page, set its option tunnel.`,
  )
}

function leadsTo({ protocol, host }: Dsn, collectorUrl: string): boolean {
  const [target, collector] = [new URL(`${protocol}://${host}`), new URL(collectorUrl)]
  const isSameHost =
    target.hostname === collector.hostname || (isLoopbackName(target.hostname) && isLoopbackName(collector.hostname))
  return isSameHost && portOf(target) === portOf(collector)
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** A DSN with a shortened key. */
export function shownDsn(text: string): string {
  const dsn = parseDsn(text)
  return dsn.ok ? formatDsn({ ...dsn.value, publicKey: `${dsn.value.publicKey.slice(0, 6)}…` }) : text
}

/** Checks that the collector accepts the key and project of the DSN. */
export async function checkAdmission(
  given: SdkDsn | null,
  localDsn: string,
  query: (of: { readonly key: string; readonly project: string }) => Promise<Admission>,
): Promise<CheckResult> {
  const dsn = given === null ? null : parseDsn(given.text)
  if (given === null || dsn === null || !dsn.ok) return skipped('There is no DSN to check.')
  const { publicKey, projectId } = dsn.value
  const { admitted, localOnly } = await query({ key: publicKey, project: projectId })
  if (!admitted)
    return broken(
      `Project ${projectId} with the key of ${given.from} is refused with 403: no upstream has this key and project.`,
      `Give the SDK the local DSN: ${localDsn} – or add its DSN to WAYSTATION_DSNS and restart the collector.`,
    )
  return ok(
    localOnly
      ? 'Every key and project is accepted, because nothing is relayed.'
      : `Project ${projectId} with this key is accepted.`,
  )
}

export const checkReadiness = (notReady: readonly string[]): CheckResult =>
  notReady.length === 0
    ? ok('The collector accepts envelopes.')
    : broken(notReady.join('; '), 'See the other checks; /health/ready contains the same messages.')

/** Whether the PostgreSQL of a shared record answers. */
export const checkStore = ({ place, away }: NonNullable<Status['store']>): CheckResult =>
  away === null
    ? ok(`PostgreSQL at ${place} answers.`)
    : broken(
        `${away}. Envelopes are refused with 503 until it answers.`,
        'Start PostgreSQL, or make it reachable from the collector; its address is in WAYSTATION_STORE.',
      )

/** The clocks of processes on one machine agree; with more difference, displayed times are wrong. */
const MOST_SKEW_MS = 2_000

/** Compares the clock of the collector with ours. @param roundTripMs duration of the request */
export function checkClock({ now }: Pick<Overview, 'now'>, ours: number, roundTripMs: number): CheckResult {
  const skewMs = Math.abs(now - ours)
  return skewMs <= MOST_SKEW_MS + roundTripMs
    ? ok('The clocks of collector and command agree.')
    : broken(
        `The clock of the collector is ${(skewMs / 1000).toFixed(1)} s ${now > ours ? 'ahead of' : 'behind'} ours.`,
        'Synchronise the clocks of both machines with NTP.',
      )
}

/** After a refusal, a sender keeps sending; an older refusal may be over. */
const RECENT_MS = 5 * 60_000
const FIX_REFUSED =
  'The answer to the SDK contains the reason (its option debug: true prints it); most often it has the key or project of another DSN.'

/**
 * Recent refusals, and refusals after the last envelope, are broken, unless an envelope of the app was just accepted: then
 * another program sent them.
 * @param facts the newest of the journal, oldest first: the counters of refusals have no times
 */
export function checkEndpoint(
  { counts, refusals, last, now }: Overview,
  facts: readonly JournalFact[],
  { isProven }: { readonly isProven: boolean },
): CheckResult {
  const arrived = counts.envelopes + counts.copies
  const reasons = refusals.map(({ reason, envelopes }) => `${envelopes} ${reason}`).join(', ')
  if (arrived === 0 && counts.refused > 0 && !isProven)
    return broken(`No envelope was accepted, ${counts.refused} refused: ${reasons}.`, FIX_REFUSED)
  if (arrived === 0 && counts.refused === 0)
    return skipped('No envelope has arrived yet.', 'Cause an error in your app and run doctor again.')
  const ago = (at: number): string => `the last ${Math.max(0, Math.round((now - at) / 1000))} s ago`
  const accepted = `${plural(arrived, 'envelope')} arrived${last === null ? '' : `, ${ago(last.receivedAt)}`}`
  const newest = facts.findLast(({ kind }) => kind === 'refused')
  const isOver =
    newest === undefined ||
    (now - newest.at > RECENT_MS && facts.some(({ kind, n }) => kind === 'received' && n > newest.n))
  if (!isOver && isProven)
    return ok(
      `${accepted}; ${counts.refused} refused, ${ago(newest.at)}: ${reasons}.`,
      'This page or program is accepted, so another one sent these: check each page with explain --app URL. The board Live has the reasons.',
    )
  if (!isOver) return broken(`${accepted}; ${counts.refused} refused, ${ago(newest.at)}: ${reasons}.`, FIX_REFUSED)
  return ok(
    counts.refused === 0 ? `${accepted}.` : `${accepted}; ${counts.refused} refused, none recently: ${reasons}.`,
  )
}

export function checkDisk({ state, trouble, used, cap }: Storage): CheckResult {
  if (state === 'ok' || (state === 'evicting' && trouble === null))
    return ok(`${mebibytes(used)} of ${mebibytes(cap)} MiB are used.`)
  return broken(
    trouble ?? `The disk budget is exceeded (${state}).`,
    'Raise WAYSTATION_MAX_DISK, make upstream accept the pending envelopes, or clear the recording on the page Storage.',
  )
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

/** The digest waits for a busy intake, at most 10 s. */
const DIGEST_LATE_MS = 15_000

export function checkDigest({ last, now }: Overview, { rebuild }: Storage): CheckResult {
  if (rebuild !== null) return ok(`The index is being rebuilt: ${rebuild.done} of ${rebuild.of}.`)
  if (last?.digest === 'pending' && now - last.receivedAt > DIGEST_LATE_MS)
    return broken(
      `Envelope ${last.seq} is not in the index, ${Math.round((now - last.receivedAt) / 1000)} s after its arrival.`,
      'The output of the collector contains the reason; npm run redigest rebuilds the index.',
    )
  return ok('The index contains everything that arrived.')
}

export function checkUpstreams({
  upstreams,
  stranded,
  limits,
  now,
}: Pick<Overview, 'upstreams' | 'stranded' | 'limits' | 'now'>): CheckResult {
  if (upstreams.length === 0 && stranded.length === 0)
    return ok(
      'No upstream is configured: nothing leaves this machine.',
      'To relay, set WAYSTATION_UPSTREAM to the DSN of your project.',
    )
  const problems = [
    ...upstreams.flatMap(problemsOf),
    ...stranded.map((one) => ({
      found: strandedSentence(one),
      fix: 'Add the former DSN to WAYSTATION_DSNS, or clear the pending envelopes.',
    })),
    ...limits
      .filter(({ until }) => until > now)
      .map(({ upstream, category, until, reason }) => ({
        found: `${upstream} limits ${category} until ${new Date(until).toISOString()}, for another ${Math.ceil((until - now) / 1000)} s${reason === null ? '' : ` (${reason})`}`,
        fix: 'Wait for its end, send less (sample rates), or raise the quota; the page Limits shows what is limited.',
      })),
  ]
  const [first] = problems
  if (first === undefined)
    return ok(
      upstreams
        .map(({ label, pending }) => `${label} accepts envelopes${pending === 0 ? '' : `, ${pending} pending`}`)
        .join('; '),
    )
  return broken(problems.map(({ found }) => found).join('; '), first.fix)
}

function problemsOf(upstream: UpstreamState) {
  const { label, state, paused, last, pending, deadLetters } = upstream
  const unowned = unownedSentence(upstream)
  if (unowned !== null)
    return [
      { found: unowned, fix: 'Give each collector of this record the same WAYSTATION_UPSTREAM and WAYSTATION_DSNS.' },
    ]
  if (state === 'paused' && paused !== null)
    return [
      {
        found: `${label} refuses with ${paused.status}; ${pending} pending`,
        fix: 'Is the DSN in WAYSTATION_UPSTREAM still valid (Sentry: Settings, Client Keys)? The relay tries again once a minute.',
      },
    ]
  if (state === 'backing_off')
    return [
      {
        found: `${label} is unreachable: ${last?.error ?? `it answered ${last?.status}`}; ${pending} pending`,
        fix: 'Check the network and the proxy settings. The relay tries again, and nothing is lost.',
      },
    ]
  if (deadLetters > 0)
    return [
      {
        found: `${label} rejected ${plural(deadLetters, 'envelope')} (dead letters)`,
        fix: 'Send them again or drop them, on the page Deliveries.',
      },
    ]
  return []
}
