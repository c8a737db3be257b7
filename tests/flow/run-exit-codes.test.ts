import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { endCollectors, startCollector, temporaryFolder } from './collector-process'
import { node, recordingsIn, run, startCommand } from './run-process'

afterAll(endCollectors)

/** A collector that answers whoever asks as it is told to. */
const standingIn = (does: string): string => `
  const server = require('node:http').createServer((_, answer) => { ${does} })
  server.listen(0, '127.0.0.1', () => {
    const url = 'http://127.0.0.1:' + server.address().port
    const told = { dataFolder: '', localDsn: url.replace('//', '//local@') + '/1', upstreams: [], stranded: [], script: null }
    process.send({ type: 'ready', url, ...told })
  })
  process.on('message', () => process.exit(0))`

describe('the exit code of waystation run', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
    ['SIGSEGV', 139],
  ])('ends like a shell where %s ended the program', async (signal, expected) => {
    const { code, err } = await run(node(`process.kill(process.pid, '${signal}')`)).ended
    expect(code).toBe(expected)
    expect(err).toContain(`\n  Program    ended by signal ${signal}\n`)
  })

  it('says 127 of a program that is not there and 126 of one that cannot be run, and leaves no recording', async () => {
    const data = temporaryFolder()
    const missing = await run(['--', 'no-such-program'], { WAYSTATION_DATA: data }).ended
    expect(missing).toEqual({
      code: 127,
      out: '',
      err: '"no-such-program" cannot be run: it is in no folder of PATH.\n',
    })
    expect(await run(['--', 'no-such program'], { WAYSTATION_DATA: data }).ended).toMatchObject({
      code: 127,
      err: expect.stringContaining('words of their own: waystation run -- no-such program\n'),
    })
    const folder = await run(['--', data], { WAYSTATION_DATA: data }).ended
    expect(folder).toMatchObject({ code: 126, err: expect.stringContaining('this user may not execute it') })
    const within = await run(['--', `${process.execPath}/in-a-file`], { WAYSTATION_DATA: data }).ended
    expect(within).toMatchObject({ code: 126, err: expect.stringMatching(/cannot be run: .*ENOTDIR/) })
    expect(recordingsIn(data)).toEqual([])
  })

  it('leaves a named folder for the next run where the program could not be begun', async () => {
    const folder = join(temporaryFolder(), 'new')
    expect(await run(['--data', folder, '--', 'no-such-program']).ended).toMatchObject({ code: 127 })
    expect(existsSync(folder)).toBe(false)
    expect(await run(['--data', folder, ...node('process.exit(5)')]).ended).toMatchObject({ code: 5 })
  })

  it.each([
    ['500', 'the collector answered 500', `answer.writeHead(500).end()`],
    [
      'an answer that is torn',
      '.*',
      `answer.writeHead(200, { 'content-length': 9 }).write('{'); setImmediate(() => answer.destroy())`,
    ],
    ['an answer that is no overview', '.*', `answer.end('{}')`],
  ])('keeps the exit code of the program where the collector tells it by %s what arrived', async (_name, why, does) => {
    const data = temporaryFolder()
    const collectors = temporaryFolder()
    writeFileSync(join(collectors, 'main.js'), standingIn(does))
    const words = ['run', ...node('process.exit(7)')]
    const { code, err } = await startCommand(words, { WAYSTATION_DATA: data }, collectors).ended
    expect(err).toMatch(
      new RegExp(
        `^Waystation listens at .*\\nWhat arrived cannot be told: ${why}; .* has what it had acknowledged\\.\\n$`,
      ),
    )
    expect(code).toBe(7)
    const [folder = ''] = recordingsIn(data)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says 2 of what was mistyped or is set wrongly, and 3 where nothing can be recorded, without running anything', async () => {
    const program = node(`console.log('ran')`)
    expect(await run(['--rely', ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--relay'),
    })
    const inActions = await run(['--rely=100%', ...program], { GITHUB_ACTIONS: 'true' }).ended
    expect(inActions.err).toMatch(
      /^There is no flag --rely .*\n::error title=Waystation::There is no flag --rely .*\n$/,
    )
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
      err: expect.stringContaining('holds a recording already'),
    })
    const mine = temporaryFolder()
    writeFileSync(join(mine, 'notes.txt'), 'mine')
    expect(await run(['--data', mine, ...program]).ended).toEqual({
      code: 2,
      out: '',
      err: `${mine} has other files in it: --data wants a new or an empty folder.\n`,
    })
    expect(readdirSync(mine)).toEqual(['notes.txt'])
    expect(await run(['--data', mine, '--data', mine, ...program]).ended).toMatchObject({ code: 2, out: '' })
  })

  it('leaves files that are for their owner alone, also in a folder that is for everybody', async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const sent = `fetch(process.env.WAYSTATION_COLLECTOR_URL + '/stream', { method: 'POST', body: '{}\\n{"type":"event"}\\n{}' })`
    expect(await run(['--no-check', '--data', folder, ...node(sent)]).ended).toMatchObject({ code: 0 })
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    expect(modes.map(([name]) => name)).toContain('telemetry.db')
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
  })

  it('says 3 where the collector ended before a program that went well', async () => {
    const program = `const { execFileSync } = require('node:child_process'); const pids = execFileSync('pgrep', ['-P', String(process.ppid), '-f', 'main[.]js$'], { encoding: 'utf8' }); process.kill(Number(pids), 'SIGKILL'); console.log('killed')`
    const { code, err } = await run(node(program)).ended
    expect(err).toMatch(
      /^Waystation listens at .*\nThe collector ended before the program did \(SIGKILL\); .* has what it had acknowledged\.\n$/,
    )
    expect(code).toBe(3)
  })
})
