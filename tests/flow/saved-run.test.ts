import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { openRun } from '../../collector/runs/open-run'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, temporaryFolder } from './collector-process'
import { node, type RunningCommand, recordingsIn, run, startCommand } from './run-process'

const shown = new Set<RunningCommand>()
afterAll(() => {
  for (const { child } of shown) child.kill('SIGKILL')
  endCollectors()
})

const SECRET = ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_')
const PROGRAM = `
  const Sentry = require(${JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))})
  Sentry.init({ tracesSampleRate: 1 })
  Sentry.startSpan({ name: 'GET /orders', op: 'http.server' }, () => undefined)
  Sentry.captureException(new Error('order failed: api_key=${SECRET}'))
  Sentry.flush(5000).then(() => process.exit(3))`

/** Records the program, which fails, and saves the run. */
async function savedRun(flags: readonly string[] = []) {
  const data = temporaryFolder()
  const file = join(temporaryFolder(), 'out.waystation')
  const { code, err } = await run(['--save', file, ...flags, ...node(PROGRAM)], { WAYSTATION_DATA: data }).ended
  expect(code, err).toBe(3)
  expect(err).toContain('The run is saved in ')
  return { file, folder: recordingsIn(data)[0] ?? '', err }
}

/** `waystation show` in an empty folder; the address that it prints. */
async function show(path: string) {
  const elsewhere = temporaryFolder()
  const command = startCommand(['show', path], { WAYSTATION_DATA: elsewhere }, undefined, elsewhere)
  shown.add(command)
  let out = ''
  command.child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  await command.printed('Ctrl-C stops it')
  const stop = async () => {
    command.child.kill('SIGTERM')
    return command.ended
  }
  return { url: /Live +(\S+)/.exec(out)?.[1] ?? '', stop, elsewhere }
}

const copies = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('waystation-run-'))

it('opens a failed run in another folder, changes nothing, and leaves nothing behind', async () => {
  const { file, err } = await savedRun(['--name', 'orders'])
  expect(err).toMatch(/node \S*waystation\.js show \S+out\.waystation\n +serves the links of this run again\n/)
  const link = /open +(http:\/\/127\.0\.0\.1:\d+)(\/events\/[0-9a-f]{32})/.exec(err)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file)
  const copiesBefore = copies()
  const { url, stop, elsewhere } = await show(file)
  const added = copies().filter((name) => !copiesBefore.includes(name))
  expect(added.map((name) => statSync(join(tmpdir(), name)).mode & 0o777)).toContain(0o700)
  expect(url).toBe(link?.[1])
  expect((await fetch(`${url}${link?.[2]}`)).status).toBe(200)
  const client = collectorClient(url, fetch)
  const overview = await client.overview()
  expect(overview).toMatchObject({
    isShown: true,
    stranded: [],
    counts: { envelopes: 2, spans: 1, errors: 1 },
    run: { name: 'orders', exit: { code: 3, signal: null }, verdict: 'fail' },
  })
  expect(overview.run?.checks.map(({ id }) => id)).toEqual(expect.arrayContaining(['errors', 'privacy']))
  expect(overview.run?.command).toContain('api_key=[Filtered]')
  // The commit is there in a clone of this repository.
  expect((await client.status()).shown).toMatch(
    /^orders (at [0-9a-f]{12} )?ended with code 3, verdict fail\. Nothing is received or sent, and nothing can change\.$/,
  )
  expect((await client.traces()).traces.map(({ name }) => name)).toContain('GET /orders')
  const posts = [
    '/control/clear',
    '/control/errors',
    '/control/marks',
    '/control/redigest',
    '/api/1/envelope/?sentry_key=local',
    '/v1/traces',
    '/tunnel',
  ]
  for (const path of posts) {
    const { status, headers } = await fetch(`${url}${path}`, { method: 'POST', body: '{}' })
    expect([path, status, headers.get('content-type')]).toEqual([path, 403, expect.stringContaining('json')])
  }
  expect(await stop()).toMatchObject({ code: 0 })
  expect(copies().filter((name) => added.includes(name))).toEqual([])
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(elsewhere)).toEqual([])
})

it('writes a report as one page', async () => {
  const { file } = await savedRun()
  const folder = temporaryFolder()
  const out = join(folder, 'report.html')
  const words = ['report', file, '--html', '--out', out]
  const { code, err } = await startCommand(words, { WAYSTATION_DATA: folder }).ended
  expect(err).toContain('report.html is written')
  expect(code).toBe(0)
  const html = readFileSync(out, 'utf8')
  for (const text of ['No unexpected errors', 'GET /orders', 'code 3', '<svg', '<td>1</td>'])
    expect(html).toContain(text)
  expect(readdirSync(folder)).toEqual(['report.html'])
})

it('opens the folder of a run without changing it', async () => {
  const { folder } = await savedRun()
  const facts = () =>
    readdirSync(folder)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .map((name) => [name, statSync(join(folder, name)).mtimeMs])
  const before = facts()
  const { url, stop } = await show(folder)
  expect((await collectorClient(url, fetch).overview()).counts).toMatchObject({ envelopes: 2, spans: 1 })
  await stop()
  expect(facts()).toEqual(before)
})

it('removes secrets from the file with --scrub, and keeps them in the folder', async () => {
  const { file, folder } = await savedRun(['--scrub'])
  const opened = await openRun(file, { log: () => undefined })
  if (!opened.ok) throw new Error(opened.error)
  const textsOf = (where: string) => {
    const db = new Database(join(where, 'spool.db'), { readonly: true })
    const bodies = db.prepare('SELECT body, deflated FROM submissions').all() as { body: Buffer; deflated: number }[]
    db.close()
    return bodies
  }
  try {
    expect(opened.value.manifest).toMatchObject({ scrubbed: true, exit: { code: 3 } })
    expect(textsOf(opened.value.folder)).toHaveLength(textsOf(folder).length)
    const { url, stop } = await show(file)
    const client = collectorClient(url, fetch)
    const [event] = (await client.events()).events
    expect(event?.title).toBe('Error: order failed: api_key=[Filtered]')
    const detail = await (await fetch(`${url}/query/envelopes/${event?.seq ?? 0}`)).text()
    expect(detail).not.toContain(SECRET)
    await stop()
    for (const name of readdirSync(opened.value.folder))
      expect(readFileSync(join(opened.value.folder, name)).includes(SECRET)).toBe(false)
  } finally {
    opened.value.close()
  }
})

it('makes an index of another version again', async () => {
  const { folder } = await savedRun()
  const db = new Database(join(folder, 'telemetry.db'))
  db.pragma('user_version = 1')
  db.close()
  const { url, stop } = await show(folder)
  expect((await collectorClient(url, fetch).traces()).traces).toHaveLength(1)
  await stop()
})

it('says in a sentence why a file cannot be opened', async () => {
  const { file } = await savedRun()
  const whole = readFileSync(file)
  const folder = temporaryFolder()
  const opens = async (name: string, bytes: Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    const opened = await openRun(path, { log: () => undefined })
    if (opened.ok) opened.value.close()
    return opened.ok ? 'opened' : opened.error.replace(folder, '')
  }
  expect(await opens('whole', whole)).toBe('opened')
  expect(await opens('truncated', whole.subarray(0, whole.length - 60_000))).toMatch(
    /^\/truncated cannot be opened: it /,
  )
  const flipped = Buffer.from(whole)
  const at = whole.indexOf('SQLite format 3') + 5000
  flipped[at] = (flipped[at] ?? 0) ^ 1
  expect(await opens('flipped', flipped)).toBe(
    '/flipped cannot be opened: it is damaged: the SHA-256 of spool.db differs',
  )
  expect(await opens('text', Buffer.from('no archive'))).toMatch(/^\/text cannot be opened: it /)
  expect(await opens('empty', Buffer.alloc(0))).toContain('it contains no manifest.json')
  mkdirSync(join(folder, 'nothing'))
  const none = await startCommand(['show', join(folder, 'nothing')], { WAYSTATION_DATA: folder }).ended
  expect(none).toMatchObject({ code: 3, err: expect.stringContaining('is not a run: the folder contains no spool.db') })
})

it.each([
  [['show'], 'show requires one file'],
  [['show', 'a', 'b'], 'show requires one file'],
  [['report', 'a'], 'report requires --html, its only format'],
  [['report', '--html'], 'report requires one file'],
  [['show', '--port', 'x', 'a'], '--port must be a port from 0 to 65535, got "x"'],
  [['run', '--scrub', '--', 'true'], '--scrub changes only the file of --save, which is missing'],
  [['run', '--save', '/nowhere/at/all', '--', 'true'], '--save /nowhere/at/all cannot be written'],
  [['run', '--name', ' ', '--', 'true'], '--name must be 1 to 100 characters'],
])('refuses %j with code 2', async (words, message) => {
  const { ended } = startCommand(words, { WAYSTATION_DATA: temporaryFolder() })
  expect(await ended).toMatchObject({ code: 2, err: expect.stringContaining(message) })
})
