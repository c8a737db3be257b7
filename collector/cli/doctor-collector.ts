import type { JournalFact } from '../../lib/wire/journal'
import { type Overview, strandedSentence, type UpstreamState } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import { broken, type Look, notLookedAt, ok } from './doctor-link'

/** Clocks of two processes of one machine are one; beyond this the times of what is seen are told wrong. */
const MOST_SKEW_MS = 2_000
/** The digest gives way to a busy intake for 10 s at most. */
const DIGEST_LATE_MS = 15_000

/** A sender that is refused still sends meanwhile. */
const LATELY_MS = 5 * 60_000
const MEND_REFUSED =
  'The answer to the SDK says why (its option debug: true shows it); a key or project of another DSN is most often the cause.'

/**
 * Is what arrives let in? What was refused lately, or after all that was let in, is a broken link.
 * @param facts the newest of the journal, oldest first: the sums of refusals have no times
 */
export function lookAtEndpoint({ counts, refusals, last, now }: Overview, facts: readonly JournalFact[]): Look {
  const arrived = counts.envelopes + counts.copies
  const said = refusals.map(({ reason, envelopes }) => `${envelopes} ${reason}`).join(', ')
  if (arrived === 0 && counts.refused > 0)
    return broken(`Nothing was let in, and ${counts.refused} refused: ${said}.`, MEND_REFUSED)
  if (arrived === 0) return notLookedAt('Nothing has arrived yet.', 'Cause an error in your app, and look again.')
  const ago = (at: number): string => `the last ${Math.max(0, Math.round((now - at) / 1000))} s ago`
  const letIn = `${arrived} ${arrived === 1 ? 'envelope' : 'envelopes'} arrived${last === null ? '' : `, ${ago(last.receivedAt)}`}`
  const newest = facts.findLast(({ kind }) => kind === 'refused')
  const isOver =
    newest === undefined ||
    (now - newest.at > LATELY_MS && facts.some(({ kind, n }) => kind === 'received' && n > newest.n))
  if (!isOver)
    return broken(`${letIn}; ${counts.refused} refused at the endpoint, ${ago(newest.at)}: ${said}.`, MEND_REFUSED)
  return ok(
    counts.refused === 0 ? `${letIn}.` : `${letIn}; ${counts.refused} refused at the endpoint, none lately: ${said}.`,
  )
}

/** Is there room for more? */
export function lookAtRoom({ state, trouble, used, cap }: Storage): Look {
  if (state === 'room' || (state === 'evicting' && trouble === null))
    return ok(`${mebibytes(used)} of ${mebibytes(cap)} MiB are used.`)
  return broken(
    trouble ?? `The room is ${state}.`,
    'Let more be used with WAYSTATION_MAX_DISK, have upstream take what is pending, or clear on the board Storage.',
  )
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

/** Are there rows of what arrived? */
export function lookAtDigest({ last, now }: Overview, { rebuild }: Storage): Look {
  if (rebuild !== null) return ok(`All rows are being made anew: ${rebuild.done} of ${rebuild.of}.`)
  if (last?.digest === 'pending' && now - last.receivedAt > DIGEST_LATE_MS)
    return broken(
      `Envelope ${last.seq} has no rows yet, ${Math.round((now - last.receivedAt) / 1000)} s after it came.`,
      'What the collector printed says why; npm run redigest makes all rows anew.',
    )
  return ok('Boards show what arrived.')
}

/** Do collector and command agree on what time it is? @param roundTripMs what the question took, at most */
export function lookAtClock({ now }: Overview, ours: number, roundTripMs: number): Look {
  const apart = Math.abs(now - ours)
  return apart <= MOST_SKEW_MS + roundTripMs
    ? ok('Its clock agrees with ours.')
    : broken(
        `Its clock is ${(apart / 1000).toFixed(1)} s ${now > ours ? 'ahead of' : 'behind'} ours.`,
        'Set the clocks of both machines by NTP: times of telemetry are told by them.',
      )
}

/** Does upstream take what is pending? */
export function lookAtUpstreams({ upstreams, localOnly, stranded, limits, now }: Overview): Look {
  if (localOnly && stranded.length === 0)
    return ok(
      'There is none: local only, nothing leaves this machine.',
      'To relay, set WAYSTATION_UPSTREAM to the DSN of your project.',
    )
  const troubles = [
    ...upstreams.flatMap(troubleOf),
    ...stranded.map((one) => ({
      seen: strandedSentence(one),
      mend: 'Name the former DSN in WAYSTATION_DSNS, or clear what is pending.',
    })),
    ...limits
      .filter(({ until }) => until > now)
      .map(({ upstream, category, until, reason }) => ({
        seen: `${upstream} limits ${category} for ${Math.ceil((until - now) / 1000)} s more${reason === null ? '' : ` (${reason})`}`,
        mend: 'Wait for its end, send less (sample rates), or raise the quota; the board Limits shows what is cut.',
      })),
  ]
  const [first] = troubles
  if (first === undefined)
    return ok(
      upstreams
        .map(({ label, pending }) => `${label} takes what it is sent${pending === 0 ? '' : `, ${pending} pending`}`)
        .join('; '),
    )
  return broken(troubles.map(({ seen }) => seen).join('; '), first.mend)
}

function troubleOf({ label, state, paused, last, pending, deadLetters }: UpstreamState) {
  if (state === 'paused' && paused !== null)
    return [
      {
        seen: `${label} refuses us with ${paused.status}; ${pending} wait`,
        mend: 'Is the DSN in WAYSTATION_UPSTREAM still that of the project (Settings, Client Keys)? It is asked again once a minute.',
      },
    ]
  if (state === 'backing_off')
    return [
      {
        seen: `${label} is away: ${last?.error ?? `it answered ${last?.status}`}; ${pending} wait`,
        mend: 'Is there a network, and a proxy that has to be set? It is tried again by itself, and nothing is lost.',
      },
    ]
  if (deadLetters > 0)
    return [
      {
        seen: `${label} refused ${deadLetters} for what they are`,
        mend: 'Send them again or drop them, on the board Deliveries.',
      },
    ]
  return []
}
