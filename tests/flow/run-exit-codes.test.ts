import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { endCollectors, startCollector, temporaryFolder } from './collector-process'
import { node, recordingsIn, run, startCommand } from './run-process'

afterAll(endCollectors)

/** A fake collector with this answer. */
const fakeCollector = (does: string): string => `
  const server = require('node:http').createServer((_, answer) => { ${does} })
  server.listen(0, '127.0.0.1', () => {
    const url = 'http://127.0.0.1:' + server.address().port
    const otlp = { url, taken: null, upstream: null, staysLocal: false }
    const facts = { dataFolder: '', localDsn: url.replace('//', '//local@') + '/1', upstreams: [], otlp, stranded: [] }
    process.send({ type: 'ready', url, ...facts })
  })
  process.on('message', () => process.exit(0))`

describe('the exit code of waystation run', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
  ])('is the code that a shell reports when %s ended the program', async (signal, expected) => {
    const { code, err } = await run(node(`process.kill(process.pid, '${signal}')`)).ended
    expect(code).toBe(expected)
    expect(err).toContain(`\n  Program    ended by signal ${signal}\n`)
    expect(err.includes('the program was killed (SIGKILL)')).toBe(signal === 'SIGKILL')
  })

  it('is 127 for a missing program and 126 for one that cannot be run; no recording is left', async () => {
    const data = temporaryFolder()
    const missing = await run(['--', 'no-such-program'], { WAYSTATION_DATA: data }).ended
    expect(missing).toEqual({
      code: 127,
      out: '',
      err: '"no-such-program" cannot be run: it is not on the PATH.\n',
    })
    expect(await run(['--', 'no-such program'], { WAYSTATION_DATA: data }).ended).toMatchObject({
      code: 127,
      err: expect.stringContaining('Write program and arguments without quotes: waystation run -- no-such program\n'),
    })
    const folder = await run(['--', data], { WAYSTATION_DATA: data }).ended
    expect(folder).toMatchObject({ code: 126, err: expect.stringContaining('this user may not execute it') })
    const within = await run(['--', `${process.execPath}/in-a-file`], { WAYSTATION_DATA: data }).ended
    expect(within).toMatchObject({ code: 126, err: expect.stringMatching(/cannot be run: .*ENOTDIR/) })
    expect(recordingsIn(data)).toEqual([])
  })

  it('does not use up the folder of --data when the program does not start', async () => {
    const folder = join(temporaryFolder(), 'new')
    expect(await run(['--data', folder, '--', 'no-such-program']).ended).toMatchObject({ code: 127 })
    expect(existsSync(folder)).toBe(false)
    expect(await run(['--data', folder, ...node('process.exit(5)')]).ended).toMatchObject({ code: 5 })
  })

  it.each([
    ['500', 'the collector answered 500', `answer.writeHead(500).end()`],
    [
      'a truncated answer',
      '.*',
      `answer.writeHead(200, { 'content-length': 9 }).write('{'); setImmediate(() => answer.destroy())`,
    ],
    ['an invalid overview', '.*', `answer.end('{}')`],
  ])('is the code of the program when the collector answers with %s', async (_name, why, does) => {
    const data = temporaryFolder()
    const collectors = temporaryFolder()
    writeFileSync(join(collectors, 'main.js'), fakeCollector(does))
    const args = ['run', ...node('process.exit(7)')]
    const { code, err } = await startCommand(args, { WAYSTATION_DATA: data }, collectors).ended
    expect(err).toMatch(
      new RegExp(
        `^Waystation listens at .*\\nThe recording could not be read: ${why}. .* contains everything that was acknowledged\\.\\n$`,
      ),
    )
    expect(code).toBe(7)
    const [folder = ''] = recordingsIn(data)
    expect(readdirSync(folder).sort()).toEqual(['manifest.json', 'suite'])
  })

  it('is 2 for wrong arguments and settings, and 3 when nothing can be recorded; the program does not run', async () => {
    const program = node(`console.log('ran')`)
    expect(await run(['--rely', ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--relay'),
    })
    const inActions = await run(['--rely=100%', ...program], { GITHUB_ACTIONS: 'true' }).ended
    expect(inActions.err).toMatch(/^unknown flag --rely; .*\n::error title=Waystation::unknown flag --rely; .*\n$/)
    expect(await run(['--relay', ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('WAYSTATION_UPSTREAM'),
    })
    expect(await run(program, { WAYSTATION_LIMITS: 'none' }).ended).toMatchObject({ code: 2, out: '' })
    expect(await run(program, { WAYSTATION_HOST: '0.0.0.0' }).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    for (const folder of ['/dev/null/x', '/proc/x'])
      expect(await run(['--data', folder, ...program]).ended).toMatchObject({
        code: 3,
        out: '',
        err: expect.stringContaining('--data'),
      })
    const used = await startCollector()
    await used.stop()
    expect(await run(['--data', used.folder, ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('already contains a recording'),
    })
    const mine = temporaryFolder()
    writeFileSync(join(mine, 'notes.txt'), 'mine')
    expect(await run(['--data', mine, ...program]).ended).toEqual({
      code: 2,
      out: '',
      err: `${mine} contains other files; --data requires a new or empty folder.\n`,
    })
    expect(readdirSync(mine)).toEqual(['notes.txt'])
    expect(await run(['--data', mine, '--data', mine, ...program]).ended).toMatchObject({ code: 2, out: '' })
  })

  it('is 0 for a run with --data in a public folder, whose files are private', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const sent = `fetch(process.env.WAYSTATION_COLLECTOR_URL + '/stream', { method: 'POST', body: '{}\\n{"type":"event"}\\n{}' })`
    expect(await run(['--no-check', '--data', folder, ...node(sent)]).ended).toMatchObject({ code: 0 })
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    expect(modes.map(([name]) => name)).toContain('telemetry.db')
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([['suite', 0o700]])
  })

  it('is 3 when the collector ends before a program that succeeds', async () => {
    const program = `const { execFileSync } = require('node:child_process'); const pids = execFileSync('pgrep', ['-P', String(process.ppid), '-f', 'main[.]js$'], { encoding: 'utf8' }); process.kill(Number(pids), 'SIGKILL'); console.log('killed')`
    const { code, err } = await run(node(program)).ended
    expect(err).toMatch(
      /^Waystation listens at .*\nThe collector ended before the program did \(SIGKILL\)\. .* contains everything that was acknowledged\.\n$/,
    )
    expect(code).toBe(3)
  })

  it('is 3 with one sentence when better-sqlite3 has no native binding', async () => {
    const folder = temporaryFolder()
    const installed = fileURLToPath(new URL('../../node_modules', import.meta.url))
    const collectors = join(folder, 'collector')
    cpSync(join(process.env.WAYSTATION_BUILD ?? '', 'collector'), collectors, { recursive: true })
    for (const name of readdirSync(installed).filter((one) => !one.startsWith('.') && one !== 'better-sqlite3')) {
      mkdirSync(join(folder, 'node_modules'), { recursive: true })
      symlinkSync(join(installed, name), join(folder, 'node_modules', name))
    }
    for (const part of ['package.json', 'lib'])
      cpSync(join(installed, 'better-sqlite3', part), join(folder, 'node_modules/better-sqlite3', part), {
        recursive: true,
      })
    const env = { WAYSTATION_DATA: temporaryFolder(), npm_config_user_agent: 'pnpm/10.4.1 npm/? node/v22.14.0' }
    const ended = await startCommand(['run', ...node(`console.log('ran')`)], env, collectors).ended
    expect(ended).toMatchObject({ code: 3, out: '' })
    expect(ended.err).toMatch(
      /^The collector stopped: better-sqlite3 has no native binding for Node .* run it with `pnpm approve-builds` .*\.\n$/,
    )
  })
})
