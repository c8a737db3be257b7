import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { readRun } from '../../collector/cli/run-collector'
import { listenForStop } from '../../collector/launch/stop-requests.js'
import { openRun } from '../../collector/runs/open-run'
import { formatDsn } from '../../lib/protocol/dsn'
import { writeTestAllows } from '../../lib/verdict/expectations/test-allows'
import { observed } from '../unit/verdict/arrival/observed-test'
import { endCollectors, temporaryFolder } from './collector-process'
import { errorEnvelope, noisyEnvelope, transactionEnvelope } from './envelopes'
import { node, recordingsIn, startCommand } from './run-process'
import { upstream } from './upstream'

afterAll(endCollectors)

const DSN = 'http://local@127.0.0.1:8969/1'

interface Post {
  readonly body: string
  readonly receipt: string
  readonly stamp?: string
}
const post = (body: string, stamp?: string): Post => ({ body, receipt: randomUUID(), ...(stamp && { stamp }) })

/** Posts in order, then reports what tests report, as a suite does. */
const PROGRAM = `
  const { appendFileSync, readFileSync } = require('node:fs')
  const { posts, reports } = JSON.parse(readFileSync(process.env.SUITE, 'utf8'))
  const { WAYSTATION_COLLECTOR_URL: url, WAYSTATION_RUN_FOLDER: folder } = process.env
  const main = async () => {
    for (const { body, receipt, stamp } of posts) {
      const headers = { 'x-waystation-receipt': receipt, ...(stamp && { 'x-waystation-stamp': stamp }) }
      const { status } = await fetch(url + '/tunnel', { method: 'POST', body, headers })
      if (status !== 200) throw new Error('answered ' + status)
    }
    for (const line of reports) appendFileSync(folder + '/suite.jsonl', JSON.stringify(line) + '\\n')
  }
  main()`

interface Suite {
  readonly posts: readonly Post[]
  readonly reports?: readonly unknown[]
}

/** Records a suite, and saves the run. */
async function record({ posts, reports = [] }: Suite, flags: readonly string[] = [], env = {}) {
  const data = temporaryFolder()
  const [file, suite] = [join(temporaryFolder(), 'out.waystation'), join(data, 'suite.json')]
  writeFileSync(suite, JSON.stringify({ posts, reports }))
  const words = ['run', '--save', file, ...flags, ...node(PROGRAM)]
  // In a folder without configuration, as `merge` below.
  const ended = await startCommand(words, { WAYSTATION_DATA: data, SUITE: suite, ...env }, undefined, data).ended
  expect(existsSync(file), ended.err).toBe(true)
  return { file, folder: recordingsIn(data)[0] ?? '', ...ended }
}

async function merge(paths: readonly string[], flags: readonly string[] = [], env = {}) {
  const out = join(temporaryFolder(), 'merged.waystation')
  const words = ['merge', ...paths, '--save', out, ...flags]
  const ended = await startCommand(words, { WAYSTATION_DATA: temporaryFolder(), ...env }, undefined, temporaryFolder())
    .ended
  return { ...ended, saved: out }
}

/** The contents that boards show of a run, without the times at which it was recorded, and its verdict. */
async function contentsOf(file: string) {
  const opened = await openRun(file, { log: () => undefined })
  if (!opened.ok) throw new Error(opened.error)
  const { folder, verdict, manifest, close } = opened.value
  const stop = listenForStop()
  try {
    const bundles = join(process.env.WAYSTATION_BUILD ?? '', 'collector')
    const read = await readRun(folder, { root: folder, bundles, stop }, async (client) => {
      const { now, journal, ...losses } = await client.losses({})
      const [{ counts, items, refusals }, { envelopes }, { traces }, { events }, { records, evicted }] =
        await Promise.all([
          client.overview(),
          client.envelopes({ filter: { own: 'show' } }),
          client.traces({ filter: { own: 'show' } }),
          client.events({ filter: { own: 'show' } }),
          client.storage(),
        ])
      return {
        losses,
        counts,
        items,
        refusals,
        envelopes: envelopes.map(({ seq, stamp, deliveryStatus, items: parts }) => ({
          ...{ seq, stamp, status: deliveryStatus.name, items: parts.map(({ category }) => category) },
        })),
        traces: traces.map(({ traceId, name, spanCount }) => [traceId, name, spanCount]),
        events: events.map(({ eventId, title, seq }) => [eventId, title, seq]),
        records,
        evicted,
      }
    })
    if (!read.ok) throw new Error(read.error)
    const report = verdict?.report
    return {
      ...read.value,
      manifest,
      verdict: report?.verdict,
      gaps: report?.gaps,
      judged: report?.judged.map(({ id, verdict: { verdict: end } }) => `${id} ${end}`),
      known: report?.known,
      tests: verdict?.tests.length,
    }
  } finally {
    close()
    stop.close()
  }
}

const allowed = (stamp: string, error: string | RegExp) => writeTestAllows({ stamp, traces: [], allow: [{ error }] })

let recorded: ReturnType<typeof recordTwo> | undefined
const recordTwo = async () => {
  const one = async () => record({ posts: [post(transactionEnvelope(DSN).body)] })
  return [await one(), await one()] as const
}
/** Two green runs, for tests that change neither. */
const twoRuns = () => {
  recorded ??= recordTwo()
  return recorded
}

describe('waystation merge', () => {
  it('makes of two shards the run that one collector records of both', async () => {
    const report = `${JSON.stringify({ dsn: DSN })}\n{"type":"client_report"}\n${JSON.stringify({ discarded_events: [{ reason: 'sample_rate', category: 'session', quantity: 3 }] })}`
    const shared = post(transactionEnvelope(DSN, { name: 'GET /both' }).body)
    const first: Suite = {
      posts: [
        post(transactionEnvelope(DSN, { name: 'GET /a', children: 3 }).body, 'one'),
        post(errorEnvelope(DSN, { message: 'card 17 declined' }).body, 'one'),
        shared,
        post(report),
      ],
      reports: [allowed('one', /^Error: card \d+ declined$/)],
    }
    const second: Suite = {
      posts: [
        post(errorEnvelope(DSN, { message: 'out of stock' }).body, 'two'),
        post(transactionEnvelope(DSN, { name: 'GET /b' }).body, 'two'),
      ],
      reports: [allowed('two', 'out of stock'), observed({ stamp: 'two' })],
    }
    const [a, b, all] = [
      await record(first),
      // Its tunnel delivers one envelope again.
      await record({ ...second, posts: [shared, ...second.posts] }),
      await record({
        posts: [...first.posts, ...second.posts],
        reports: [...(first.reports ?? []), ...(second.reports ?? [])],
      }),
    ]
    const merged = await merge([a.file, b.folder], ['--name', 'both'])
    expect(merged.err).toContain('2 runs with 6 submissions merged into ')
    expect(merged.err).toContain('; 1 submission that several runs have counted once.')
    const { manifest, ...contents } = await contentsOf(merged.saved)
    const { manifest: whole, ...expected } = await contentsOf(all.file)
    expect(contents).toEqual(expected)
    expect(contents).toMatchObject({ known: 2, tests: 1, envelopes: { length: 6 } })
    expect([merged.code, all.code]).toEqual([
      { pass: 0, fail: 1, incomplete: 3 }[contents.verdict ?? 'fail'],
      merged.code,
    ])
    expect(manifest).toMatchObject({
      name: 'both',
      exit: whole?.exit,
      commit: whole?.commit,
      shards: { length: 2 },
    })
    // A merged run can be merged again, but not with one of its own shards.
    const twice = await merge([merged.saved, b.file])
    expect(twice).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${merged.saved} and ${b.file} both contain the run `),
    })
    expect(existsSync(twice.saved)).toBe(false)
    const [third] = await twoRuns()
    const again = await merge([merged.saved, third.file])
    expect(again.err).toContain('2 runs with 7 submissions merged into ')
    expect(await contentsOf(again.saved)).toMatchObject({ tests: 1, manifest: { shards: { length: 3 } } })
  })

  it('is incomplete with a shard that was not judged, and fails with one whose program failed', async () => {
    const [a] = await twoRuns()
    const b = await record({ posts: [post(transactionEnvelope(DSN).body)] }, ['--no-check'])
    const merged = await merge([a.file, b.file], ['--quiet'])
    expect(merged).toMatchObject({ code: 3, out: expect.stringContaining(`${b.file} has no verdict.json`) })
    expect((await contentsOf(merged.saved)).manifest).toMatchObject({ verdict: 'incomplete' })
    const failed = await record({ posts: [{ body: 'no envelope', receipt: randomUUID() }] })
    expect(await merge([a.file, failed.file])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/\n✗ The program ended with code 1\. .*\n$/),
    })
  })

  it('uses the configuration of its folder, and reports by its flags', async () => {
    const shards = (await twoRuns()).map(({ file }) => file)
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'waystation.config.mjs'), 'export default { rules: { "missing-release": "error" } }')
    const words = ['merge', ...shards, '--save', 'all.waystation', '--report', 'out.json']
    const { code, out, err } = await startCommand(words, { WAYSTATION_DATA: folder }, undefined, folder).ended
    expect(code, out + err).toBe(1)
    const failed = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')).judged.filter(
      (one: { verdict: { verdict: string } }) => one.verdict.verdict === 'fail',
    )
    expect(failed.map(({ id }: { id: string }) => id)).toEqual(['missing-release'])
    expect(existsSync(join(folder, 'all.waystation'))).toBe(true)
  })

  it('adds what was evicted', async () => {
    const posts = Array.from({ length: 24 }, () => post(noisyEnvelope(DSN, 900_000).body))
    const a = await record({ posts }, [], { WAYSTATION_MAX_DISK: '16MiB' })
    const [b] = await twoRuns()
    const merged = await merge([a.file, b.file])
    const [one, both] = [await contentsOf(a.file), await contentsOf(merged.saved)]
    expect(one.evicted.records).toBeGreaterThan(0)
    expect(both.evicted).toEqual(one.evicted)
    expect(both.records).toBe(one.records + 1)
    expect(both.items.received).toBe(25)
    expect(both.gaps?.join()).toContain(' evicted to free disk space')
  })

  it('relays nothing of what is pending, and says so', async () => {
    const standIn = await upstream()
    const env = { WAYSTATION_UPSTREAM: formatDsn({ ...standIn.dsn, host: '127.0.0.1:1' }) }
    const pending = { posts: [post(transactionEnvelope(formatDsn(standIn.dsn)).body)] }
    const a = await record(pending, ['--relay', '--settle', '0'], env)
    const [b] = await twoRuns()
    const relaying = { WAYSTATION_UPSTREAM: formatDsn(standIn.dsn), WAYSTATION_RELAY: 'on' }
    const merged = await merge([a.file, b.file], [], relaying)
    expect(merged.code).toBe(3)
    const { items, envelopes, judged } = await contentsOf(merged.saved)
    expect(items.pending).toBe(1)
    expect(envelopes.map(({ status }) => status)).toEqual(['pending', 'kept'])
    expect(judged).toContain('losses incomplete')
    expect(standIn.received()).toEqual([])
  })

  it('leaves no file when it is killed, and the next one is not disturbed', async () => {
    const [a, b] = await twoRuns()
    const folder = temporaryFolder()
    const out = join(folder, 'all.waystation')
    const words = ['merge', a.file, b.file, '--save', out]
    const command = startCommand(words, { WAYSTATION_DATA: folder })
    command.child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('merging: ')) command.child.kill('SIGKILL')
    })
    expect((await command.ended).err).toContain('merging: 1 of 2 submissions')
    expect(readdirSync(folder).filter((name) => name.includes('all'))).toEqual([])
    expect(await startCommand(words, { WAYSTATION_DATA: folder }).ended).toMatchObject({ code: 0 })
    const stopped = startCommand(['merge', a.file, b.file, '--save', `${out}2`], { WAYSTATION_DATA: folder })
    stopped.child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('merging: ')) stopped.child.kill('SIGINT')
    })
    expect((await stopped.ended).code).toBe(130)
    expect(existsSync(`${out}2`)).toBe(false)
  })

  it('refuses what it cannot merge, in a sentence', async () => {
    const [{ file, folder }] = await twoRuns()
    const copy = (name: string): string => {
      const to = join(temporaryFolder(), name)
      cpSync(folder, to, { recursive: true })
      return to
    }
    const [recording, newer, killed] = [copy('recording'), copy('newer'), copy('killed')]
    writeFileSync(join(recording, 'recorded-by'), String(process.pid))
    const db = new Database(join(newer, 'spool.db'))
    db.pragma('user_version = 999')
    db.close()
    rmSync(join(killed, 'manifest.json'))
    const nothing = join(temporaryFolder(), 'nothing')
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [[file], 2, 'merge requires two or more runs, files or folders, got ['],
      [[file, `${folder}/../${folder.split('/').at(-1)}`, folder], 2, ' is given twice: a run is merged once'],
      [[file, folder], 2, ' are the same run: give it once'],
      [[file, recording], 3, `${recording} is still being recorded: wait until its command ends`],
      [[file, newer], 3, 'spool.db has version 999, but this Waystation reads up to '],
      [[file, killed], 3, 'is no run that has ended: it contains no manifest.json'],
      [[file, nothing], 3, `${nothing} does not exist; expected a file of waystation run --save, or a folder`],
    ]
    for (const [paths, code, message] of cases) {
      const ended = await merge(paths)
      expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)])
      expect(existsSync(ended.saved)).toBe(false)
    }
    const env = { WAYSTATION_DATA: temporaryFolder() }
    for (const [words, message] of [
      [['a', 'b'], 'merge requires --save with the file to write'],
      [['a', 'b', '--save', file], 'exists: merge replaces no file, so delete it or choose another'],
      [['a', 'b', '--save', '/nowhere/at/all'], '--save /nowhere/at/all cannot be written'],
      [['a', 'b', '--save', 'x', '--name', ' '], '--name must be 1 to 100 characters'],
      [['a', 'b', '--save', 'x', '--sav', 'y'], 'unknown flag --sav; did you mean --save?'],
    ] as const)
      expect(await startCommand(['merge', ...words], env).ended).toMatchObject({
        code: 2,
        err: expect.stringContaining(message),
      })
  })
})
