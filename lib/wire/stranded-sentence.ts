import { keyMark } from '../protocol/dsn'
import type { Overview } from './overview'

/**
 * What is pending by a key that nobody has configured, and what can be done: upstream would refuse it by another key of the
 * same project, so that only its own DSN delivers it.
 */
export const strandedSentence = ({ publicKey, project, records }: Overview['stranded'][number]): string =>
  `${records === 1 ? '1 envelope is' : `${records} envelopes are`} pending to project ${project} by a key that no configured DSN has (${keyMark(publicKey)}): put the old DSN into WAYSTATION_DSNS beside the new one, or clear what is pending (which drops everything pending)`
