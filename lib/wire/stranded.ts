import { plural } from '../format'
import { keyPrefix } from '../protocol/dsn'
import { KEYLESS } from '../protocol/upstream-address'
import type { Overview } from './overview'

/** Upstream would refuse these envelopes with another key of the same project: only the old DSN can deliver them. */
export const strandedSentence = ({ publicKey, project, records }: Overview['stranded'][number]): string =>
  publicKey === KEYLESS.publicKey
    ? `${plural(records, 'OpenTelemetry request')} ${records === 1 ? 'is' : 'are'} pending, but WAYSTATION_OTLP_UPSTREAM names no upstream of its own: set it again, or clear all pending envelopes, which drops them`
    : `${plural(records, 'envelope')} ${records === 1 ? 'is' : 'are'} pending for project ${project} with a key that no configured DSN has (${keyPrefix(publicKey)}): add the old DSN to WAYSTATION_DSNS, or clear all pending envelopes, which drops them`
