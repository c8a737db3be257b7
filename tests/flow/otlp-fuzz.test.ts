import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { countEntries } from '../../lib/otlp/count-entries'
import { decodeRequest } from '../../lib/otlp/decode'
import { OTLP_SIGNALS, type OtlpEncoding, type OtlpSignal } from '../../lib/otlp/signals'
import { SIGNAL_KINDS } from '../../lib/protocol/items/signal'
import { collectorClient } from '../../lib/wire/collector-client'
import { fillMessage } from '../unit/otlp/filled-message'
import { encodeRequest, requestType } from '../unit/otlp/requests'
import { type CollectorProcess, endCollectors, factAfter, startCollector } from './collector-process'
import { mutateBytes, mutateJson, pick, type Random, seededRandom } from './mutations'
import { madeRequest, postOtlp } from './otlp-posts'

afterAll(endCollectors)

/** 20,000 take one to two minutes. */
const BODIES = Number(process.env.OTLP_FUZZ_BODIES ?? 2000)
const SEED = Number(process.env.OTLP_FUZZ_SEED ?? 1)
const AT_ONCE = 8
const ANSWER_MS = 20_000

interface Mutated {
  readonly signal: OtlpSignal
  readonly encoding: OtlpEncoding
  readonly body: Buffer
}

/** Valid requests of a signal: an ordinary one, and those that fill every field of the schema. */
function originals(signal: OtlpSignal): readonly [object, ...object[]] {
  const ordinary = JSON.parse(madeRequest(signal, 'json').body.toString()) as object
  return [ordinary, ...fillMessage(requestType(signal)).map(({ value }) => value as object)]
}

const ORIGINALS = { traces: originals('traces'), logs: originals('logs'), metrics: originals('metrics') }
const SIGNALS = [...OTLP_SIGNALS] as const

function mutatedRequest(random: Random): Mutated {
  const signal = pick(random, SIGNALS)
  const encoding: OtlpEncoding = random() < 0.5 ? 'json' : 'protobuf'
  const one = inNewTrace(random, pick(random, ORIGINALS[signal]))
  const other = pick(random, ORIGINALS[pick(random, SIGNALS)])
  if (encoding === 'json' && random() < 0.6)
    return { signal, encoding, body: Buffer.from(JSON.stringify(mutateJson(random, one))) }
  const bytes = Buffer.from(encodeRequest(signal, encoding, one))
  return { signal, encoding, body: mutateBytes(random, bytes, Buffer.from(JSON.stringify(other))) }
}

function inNewTrace(random: Random, request: object): object {
  const traceId = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('')
  return JSON.parse(JSON.stringify(request).replaceAll(/"traceId":"[0-9a-f]{32}"/g, `"traceId":"${traceId}"`))
}

const hashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** A request without a valid entry is answered without being stored. */
function isStored({ signal, encoding, body }: Mutated): boolean {
  const request = decodeRequest(signal, encoding, body)
  return request.ok && countEntries(signal, request.value).valid > 0
}

it(`answers ${BODIES} mutated bodies without a 5xx, and stores every accepted one byte for byte`, async () => {
  const collector = await startCollector({ WAYSTATION_MAX_DISK: '16GiB' })
  const random = seededRandom(SEED)
  const answers: Record<number, number> = {}
  const accepted: string[] = []
  let left = BODIES
  const post = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const mutated = mutatedRequest(random)
      const response = await withTimeout(postOtlp(collector, mutated), mutated)
      await response.arrayBuffer()
      answers[response.status] = (answers[response.status] ?? 0) + 1
      if (response.status === 200 && isStored(mutated)) accepted.push(hashOf(mutated.body))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, post))
  expect(Object.keys(answers)).toEqual(['200', '400'])
  expect(answers[200]).toBeGreaterThan(BODIES / 10)
  expect(answers[400]).toBeGreaterThan(BODIES / 10)
  expect(accepted.length).toBeGreaterThan(BODIES / 10)

  const { hashes, last } = await recordedHashes(collector)
  expect(hashes.sort()).toEqual(accepted.sort())
  await digestedUpTo(collector, last)
  await expectReadable(collector)
  expect(collector.output()).not.toMatch(/Error|bug|cannot/)
  if (BODIES > 2000) console.log(`answers: ${JSON.stringify(answers)}; ${accepted.length} stored`)
}, 600_000)

async function withTimeout(answer: Promise<Response>, { signal, encoding, body }: Mutated): Promise<Response> {
  let cancel = (): void => undefined
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer within ${ANSWER_MS} ms to ${signal} in ${encoding}: ${body.toString('base64')}`))
    }, ANSWER_MS)
    cancel = () => clearTimeout(timer)
  })
  return Promise.race([answer, late]).finally(() => cancel())
}

async function recordedHashes(
  collector: CollectorProcess,
): Promise<{ readonly hashes: string[]; readonly last: number }> {
  const client = collectorClient(collector.url, fetch)
  const hashes: string[] = []
  let last = 0
  for (let after = 0; ; ) {
    const { recorded, damaged, next, journal } = await client.recorded({ after })
    expect(damaged).toEqual([])
    for (const { body, seq } of recorded) {
      hashes.push(hashOf(Buffer.from(body, 'base64')))
      last = seq
    }
    if (next === journal) return { hashes, last }
    after = next
  }
}

async function digestedUpTo(collector: CollectorProcess, seq: number): Promise<void> {
  const client = collectorClient(collector.url, fetch)
  for (let after = 0; ; ) {
    after = await factAfter(collector, 'digested', after)
    const fact = await client.fact(after)
    if ((fact?.seq ?? 0) >= seq) return
  }
}

/** The client parses every answer, so a row with a value of a wrong type fails. */
async function expectReadable(collector: CollectorProcess): Promise<void> {
  const client = collectorClient(collector.url, fetch)
  const { traces } = await client.traces({ limit: 200 })
  expect(traces.length).toBeGreaterThan(100)
  for (const { traceId } of traces) expect(await client.trace(traceId)).not.toBeNull()
  for (const { eventId } of (await client.events({ limit: 200 })).events)
    expect(await client.event(eventId)).not.toBeNull()
  for (const kind of SIGNAL_KINDS)
    for (let cursor: string | null = null; ; ) {
      const page = await client.signals(kind, { limit: 200, cursor })
      if (page.next === null) break
      cursor = page.next
    }
  expect((await client.overview()).journal).toBeGreaterThan(0)
}
