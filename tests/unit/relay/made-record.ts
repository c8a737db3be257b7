import type { RecordedEnvelope } from '../../../collector/store/read-envelopes'
import { parseDsn } from '../../../lib/protocol/dsn'
import { submission } from '../spool/in-process-spool'

const dsn = parseDsn('http://key@127.0.0.1:9/1')
if (!dsn.ok) throw new Error(dsn.error)
export const theUpstream = dsn.value

/** What the spool has of an envelope with one error. */
export const aRecord = (body: Uint8Array = new TextEncoder().encode('{}')): RecordedEnvelope => submission({ body })
