import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inflateBody } from '../../collector/spool/record-body'
import { parseDsn } from '../../lib/protocol/dsn'
import type { Endpoint } from '../../lib/protocol/request'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Bundle, bundleCollector } from '../faults/bundle-collector'
import { randomFrom } from '../faults/random'
import { isDigested } from '../faults/record'
import { type CollectorRun, startRun } from '../faults/test-folder'
import { type CountingUpstream, startUpstream } from '../faults/upstream'
import { type Attempt, attemptsOf, titleOf } from './attempts'
import { faultsOfJudging } from './judged'

const FOLDER = resolve(process.env.CORPUS ?? '')
const isThere = process.env.CORPUS !== undefined && existsSync(FOLDER)
if (!isThere)
  console.log(
    process.env.CORPUS === undefined
      ? 'CORPUS names no folder, so no body was posted: CORPUS=<folder> npm run test:corpus posts every body below it.'
      : `There is no folder ${FOLDER}, so no body was posted: CORPUS names a folder with bodies that SDKs sent.`,
  )

/** Longer than this is a hang. */
const LONGEST_ANSWER_MS = 10_000
const DRAIN_DEADLINE_MS = 120_000

interface Answered {
  readonly attempt: Attempt
  /** The stamp under which the record keeps it. */
  readonly stamp: string
  /** `null` when no answer came in time. */
  readonly status: number | null
  readonly detail: string
}

interface Recorded {
  readonly stamp: string
  readonly endpoint: string
  readonly sha256: string
  readonly outcomes: readonly string[]
  /** Rules of the contract that threw or took too long. */
  readonly faults: readonly string[]
}

describe.skipIf(!isThere)('a corpus of bodies', () => {
  let bundle: Bundle
  let upstream: CountingUpstream
  let life: CollectorRun
  let data: string
  let answers: readonly Answered[] = []
  let recorded: readonly Recorded[] = []
  let problems: readonly string[] = []
  let undigested: readonly string[] = []

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'waystation-corpus-'))
    const attempts = attemptsOf(FOLDER)
    bundle = await bundleCollector()
    upstream = await startUpstream(randomFrom(1))
    const host = new URL(upstream.dsn).host
    const dsns = new Set(
      attempts.map(({ key, project }) => `http://${key}@${host}/${project}`).filter((dsn) => parseDsn(dsn).ok),
    )
    life = startRun(bundle.program, {
      WAYSTATION_PORT: '0',
      WAYSTATION_OTLP_PORT: 'off',
      WAYSTATION_DATA: data,
      WAYSTATION_UPSTREAM: upstream.dsn,
      WAYSTATION_DSNS: [...dsns].join(','),
    })
    const url = await life.ready
    if (url === null) throw new Error(`the collector did not start: ${life.output()}`)
    answers = await postAll(url, attempts)
    await drain(url)
    life.end('SIGTERM')
    await life.ended
    recorded = recordOf(data)
    ;({ problems, undigested } = rowsOf(data))
    report(answers, problems)
  }, 600_000)
  afterAll(async () => {
    life?.end('SIGKILL')
    await upstream?.close()
    bundle?.remove()
    rmSync(data, { recursive: true, force: true })
  })

  const accepted = () => answers.filter(({ status }) => status === 200)
  const recordOfAnswer = ({ stamp }: Answered): Recorded | undefined => recorded.find((one) => one.stamp === stamp)

  it('has bodies, and some are accepted', () => {
    expect(accepted().length).toBeGreaterThan(0)
  })

  it('is accepted or refused with a 4xx that says why, each within 10 s', () => {
    const odd = answers.filter(
      ({ status, detail }) => status !== 200 && (status === null || status < 400 || status >= 500 || detail === ''),
    )
    expect(odd.map(({ attempt, status, detail }) => `${titleOf(attempt)}: ${status} ${detail}`)).toEqual([])
  })

  it('is on record as it was sent, with an outcome for each accepted body', () => {
    const wrong = accepted().flatMap((answer) => {
      const record = recordOfAnswer(answer)
      if (record === undefined) return [`${titleOf(answer.attempt)} is not on record`]
      if (!answer.attempt.forms.has(record.sha256)) return [`${titleOf(answer.attempt)} is recorded in another form`]
      return record.outcomes.length === 0 ? [`${titleOf(answer.attempt)} has no outcome`] : []
    })
    expect(wrong).toEqual([])
    expect(recorded.length).toBe(accepted().length)
  })

  it('is relayed byte for byte, to the same kind of endpoint', () => {
    const wrong = accepted().flatMap((answer) => {
      const record = recordOfAnswer(answer)
      const came = upstream.endpoints.get(record?.sha256 ?? '')
      const expected = record?.endpoint === 'tunnel' ? 'envelope' : (record?.endpoint ?? '')
      return came?.has(expected)
        ? []
        : [`${titleOf(answer.attempt)} came by ${[...(came ?? [])].join()} not ${expected}`]
    })
    expect(wrong).toEqual([])
    const known = new Set(recorded.map(({ sha256 }) => sha256))
    expect([...upstream.arrivals.keys()].filter((sha256) => !known.has(sha256))).toEqual([])
  })

  it('is judged by every rule of the contract without a fault of ours', () => {
    const wrong = accepted().flatMap((answer) =>
      (recordOfAnswer(answer)?.faults ?? []).map((fault) => `${titleOf(answer.attempt)}: ${fault}`),
    )
    expect(wrong).toEqual([])
  })

  it('is digested without a fault of ours', () => {
    const titles = answers.filter(({ stamp }) => undigested.includes(stamp)).map(({ attempt }) => titleOf(attempt))
    expect(titles).toEqual([])
    expect(life.output()).not.toMatch(/Unhandled|^\s+at /m)
  })

  async function drain(url: string): Promise<void> {
    const client = collectorClient(url, fetch)
    const deadline = Date.now() + DRAIN_DEADLINE_MS
    for (;;) {
      const { upstreams } = await client.overview()
      if (upstreams.every(({ pending }) => pending === 0) && isDigested(data)) return
      if (Date.now() > deadline) throw new Error(`not everything was relayed within ${DRAIN_DEADLINE_MS} ms`)
    }
  }
})

async function postAll(url: string, attempts: readonly Attempt[]): Promise<readonly Answered[]> {
  const answers: Answered[] = []
  for (const [index, attempt] of attempts.entries()) {
    const stamp = `corpus-${index}`
    answers.push({ attempt, stamp, ...(await post(url, attempt, stamp)) })
    if ((index + 1) % 100 === 0) console.log(`${index + 1} of ${attempts.length} posted`)
  }
  return answers
}

async function post(url: string, attempt: Attempt, stamp: string): Promise<{ status: number | null; detail: string }> {
  const { method, path, headers, body } = attempt
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'x-waystation-stamp': stamp },
      ...(method === 'GET' ? {} : { body: new Uint8Array(body) }),
      signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    })
    await response.arrayBuffer()
    return { status: response.status, detail: response.headers.get('x-sentry-error') ?? '' }
  } catch (error) {
    return { status: null, detail: error instanceof Error ? error.message : String(error) }
  }
}

function recordOf(data: string): readonly Recorded[] {
  const db = new Database(join(data, 'spool.db'))
  try {
    const outcomes = db.prepare('SELECT outcome FROM outcomes WHERE seq = ?').pluck()
    const rows = db
      .prepare('SELECT seq, stamp, endpoint, received_at AS receivedAt, bytes, deflated, body FROM submissions')
      .all() as {
      seq: number
      stamp: string
      endpoint: Endpoint
      receivedAt: number
      bytes: number
      deflated: number
      body: Uint8Array
    }[]
    return rows.map(({ seq, stamp, endpoint, receivedAt, ...row }) => {
      const body = inflateBody(row)
      const facts = { seq, journal: seq, receivedAt, endpoint, project: '', publicKey: '', stamp }
      return {
        stamp,
        endpoint,
        sha256: createHash('sha256').update(body).digest('hex'),
        outcomes: outcomes.all(seq) as string[],
        faults: faultsOfJudging({ ...facts, page: null, userAgent: null, origin: null, body }),
      }
    })
  } finally {
    db.close()
  }
}

function rowsOf(data: string): { problems: readonly string[]; undigested: readonly string[] } {
  const db = new Database(join(data, 'telemetry.db'))
  try {
    return {
      problems: db.prepare('SELECT problem FROM items WHERE problem IS NOT NULL').pluck().all() as string[],
      undigested: db.prepare("SELECT stamp FROM envelopes WHERE state <> 'digested'").pluck().all() as string[],
    }
  } finally {
    db.close()
  }
}

function report(answers: readonly Answered[], problems: readonly string[]): void {
  const lines = [
    `${answers.length} posts of ${new Set(answers.map(({ attempt }) => attempt.file)).size} bodies`,
    ...counted(answers.map(({ attempt, status }) => `${attempt.how} ${status ?? 'no answer'}`)),
    'Refused:',
    ...counted(
      answers.filter(({ status }) => status !== 200).map(({ status, detail }) => `${status} ${plain(detail)}`),
    ),
    'Kept and relayed, though an item could not be read:',
    ...counted(problems.map(plain)),
  ]
  console.log(lines.join('\n'))
}

/** Numbers and quoted words are of one body; the sentence is of all. */
const plain = (text: string): string => text.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, 'N')

function counted(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([word, count]) => `${String(count).padStart(6)}  ${word}`)
}
