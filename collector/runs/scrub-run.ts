import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { scrubRequest } from '../../lib/otlp/scrub-request'
import { encodingOf, signalOf } from '../../lib/otlp/signals'
import type { Endpoint } from '../../lib/protocol/request'
import { scrubPayload } from '../../lib/scrub/payload'
import { Removals, scrubRecord } from '../../lib/scrub/scrub-record'
import { FRAMES_FILE } from '../../lib/wire/run'
import { indexPath, removeIndex } from '../index/files'
import { openForWriting } from '../runtime/database'
import { type CheckedRow, checksumOf, deflateBody, readBody } from '../spool/files'
import type { RunVerdict } from './manifest'

interface Row extends CheckedRow {
  readonly seq: number
  readonly endpoint: Endpoint
}

const noDetails = (): void => undefined

/**
 * Removes secrets from the copy of a run, by the rules of the relay: from bodies, from the facts of senders, and from the
 * verdict. The index and the mapped frames are deleted.
 * @returns the number of records that were changed, and the verdict @throws BodyDamagedError for a damaged record
 */
export function scrubRun(
  folder: string,
  verdict: RunVerdict | null,
): { readonly records: number; readonly verdict: RunVerdict | null } {
  const db = openForWriting(join(folder, 'spool.db'), 'FULL')
  let records = 0
  try {
    const seqs = db.prepare('SELECT seq FROM submissions ORDER BY seq').pluck().all() as number[]
    const read = db.prepare(
      'SELECT seq, endpoint, facts, quantities, bytes, deflated, body, checksum FROM submissions WHERE seq = ?',
    )
    const write = db.prepare(
      'UPDATE submissions SET facts = @facts, bytes = @bytes, deflated = @deflated, body = @body, checksum = @checksum WHERE seq = @seq',
    )
    for (const seq of seqs) {
      const row = read.get(seq) as Row
      const scrubbed = scrubRow(row)
      if (scrubbed === null) continue
      write.run(scrubbed)
      records += 1
    }
    // Removed text would otherwise stay in free pages.
    db.exec('VACUUM')
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
  removeIndex(indexPath(folder))
  // Lines of source code, which the rules of the relay do not scrub.
  rmSync(join(folder, FRAMES_FILE), { force: true })
  return { records, verdict: verdict === null ? null : (scrubJson(verdict) as RunVerdict) }
}

function scrubRow(row: Row): Record<string, unknown> | null {
  const before = readBody(row)
  const facts = JSON.stringify(scrubJson(JSON.parse(row.facts)))
  const after = scrubBody(row, before)
  if (after === before && facts === row.facts) return null
  const stored = deflateBody(after)
  const { quantities } = row
  return {
    seq: row.seq,
    facts,
    bytes: after.length,
    deflated: stored.deflated ? 1 : 0,
    body: stored.body,
    checksum: checksumOf({ body: stored.body, facts, quantities }),
  }
}

function scrubBody({ endpoint, facts }: Row, body: Uint8Array): Uint8Array {
  const signal = signalOf(endpoint)
  if (signal === null) return scrubRecord(endpoint, body, 'on').body
  const { contentType } = JSON.parse(facts) as { readonly contentType?: string | null }
  return scrubRequest(signal, encodingOf(contentType ?? null) ?? 'json', body, new Removals().at(0))
}

/** The same value with every text scrubbed, as in a payload. */
const scrubJson = (value: unknown): unknown =>
  JSON.parse(new TextDecoder().decode(scrubPayload(new TextEncoder().encode(JSON.stringify(value)), noDetails)))
