import { plural } from '../format'
import { keyPrefix } from '../protocol/dsn'
import { KEYLESS } from '../protocol/upstream-address'
import type { Overview, UpstreamState } from './overview'

/** A lane that is free for longer than it takes to take over from a collector that died. */
const UNOWNED_AFTER_MS = 30_000

/** Upstream would refuse these envelopes with another key of the same project: only the old DSN can deliver them. */
export const strandedSentence = ({ publicKey, project, records }: Overview['stranded'][number]): string =>
  publicKey === KEYLESS.publicKey
    ? `${plural(records, 'OpenTelemetry request')} ${records === 1 ? 'is' : 'are'} pending, but WAYSTATION_OTLP_UPSTREAM names no upstream of its own: set it again, or clear all pending envelopes, which drops them`
    : `${plural(records, 'envelope')} ${records === 1 ? 'is' : 'are'} pending for project ${project} with a key that no configured DSN has (${keyPrefix(publicKey)}): add the old DSN to WAYSTATION_DSNS, or clear all pending envelopes, which drops them`

/** Nothing is posted of a lane that none of several collectors relays; `null` where one does, or soon will. */
export function unownedSentence({ label, owner, unownedMs = 0, pending }: UpstreamState): string | null {
  if (unownedMs <= UNOWNED_AFTER_MS) return null
  const unowned = owner === null ? `to ${label}` : `one of the lanes of ${label}`
  return `no collector has relayed ${unowned} for ${Math.floor(unownedMs / 1000)} s; ${pending} pending stay stored until a collector that has its DSN does: configure the same upstreams at every collector of this record`
}
