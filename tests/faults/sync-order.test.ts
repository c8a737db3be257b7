import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { bundleWithFaults, type Mutation } from './bundle-collector'
import { missingSync, systemCalls } from './system-calls'
import { startRun } from './test-folder'

const CALLS = 'read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,pwritev,fsync,fdatasync'

/** A kill does not empty the page cache, so only the order of system calls shows that a commit was synced. */
describe('the order of system calls', () => {
  const unsynced: Mutation = {
    file: 'collector/runtime/database.ts',
    from: "setPragma(db, 'synchronous', durability, isRecord ? 2 : 1)",
    to: "setPragma(db, 'synchronous', 'NORMAL', 1)",
  }

  it.skipIf(!hasStrace())('has a sync of the log between a body and its 200 (skipped without strace)', async () => {
    expect(await traceOnePost([])).toBeNull()
  })

  it.skipIf(!hasStrace())(
    'has none with synchronous=NORMAL, and the test notices (skipped without strace)',
    async () => {
      expect(await traceOnePost([unsynced])).toBe('the log was not synced between the body and its 200')
    },
  )

  it('is read from calls that other threads may interrupt', () => {
    const socket = '20<TCP:[127.0.0.1:1->127.0.0.1:2]>'
    const body = `1 read(${socket}, "POST / mark"..., 65536) = 40`
    const log = '2 pwrite64(9</data/spool.db-wal>, "mark"..., 4096, 32) = 4096'
    const begun = '2 fdatasync(9</data/spool.db-wal> <unfinished ...>'
    const resumed = '2 <... fdatasync resumed>)              = 0'
    const answer = `1 write(${socket}, "HTTP/1.1 200 OK\\r\\n"..., 100) = 100`
    const judge = (...lines: readonly string[]) => missingSync(systemCalls(lines.join('\n')), 'mark')
    const late = 'the log was not synced between the body and its 200'
    expect(judge(body, log, begun, resumed, answer)).toBeNull()
    expect(judge(body, log, begun, answer, resumed)).toBe(late)
    expect(judge(body, begun, resumed, log, answer)).toBe(late)
    expect(judge(body, begun, log, resumed, answer)).toBe(late)
    expect(judge(body, log, '2 fdatasync(8</data/telemetry.db-wal>) = 0', answer)).toBe(late)
    expect(judge(body, begun, resumed, answer, log)).toBe('the body was not written to the log before its 200')
    expect(judge(body, log, begun, resumed, answer.replace('20<', '21<'))).toBe('no 200 was written to its connection')
    expect(judge(log, begun, resumed, answer)).toBe('the body was not read from a connection')
  })
})

/** Posts one small body, which is stored undeflated, to a collector under strace. */
async function traceOnePost(mutations: readonly Mutation[]): Promise<string | null> {
  const bundle = await bundleWithFaults(mutations)
  const folder = mkdtempSync(join(tmpdir(), 'waystation-strace-'))
  const trace = join(folder, 'trace')
  // With -D the collector is the direct child, so that a signal reaches it and not strace.
  const strace = ['strace', '-D', '-f', '-y', '-s', '8192', '-e', `trace=${CALLS}`, '-o', trace]
  const life = startRun(bundle.program, { WAYSTATION_PORT: '0', WAYSTATION_DATA: folder }, strace)
  try {
    const url = await life.ready
    if (url === null) throw new Error(`the collector did not start under strace: ${life.output()}`)
    const { localDsn } = await collectorClient(url, fetch).overview()
    const post = (word: string): Promise<Response> => {
      const lines = [JSON.stringify({ dsn: localDsn }), '{"type":"event"}', JSON.stringify({ message: word })]
      return fetch(`${url}/tunnel`, { method: 'POST', body: lines.join('\n') })
    }
    await post('first')
    const marker = `marked${randomBytes(8).toString('hex')}`
    expect((await post(marker)).status).toBe(200)
    life.end('SIGTERM')
    await life.ended
    const isOver = new RegExp(`^${life.pid} +\\+\\+\\+ exited`, 'm')
    await expect.poll(() => isOver.test(readFileSync(trace, 'utf8')), { timeout: 30_000 }).toBe(true)
    return missingSync(systemCalls(readFileSync(trace, 'utf8')), marker)
  } finally {
    life.end('SIGKILL')
    bundle.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** strace must be installed and allowed: a container may forbid it. */
function hasStrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', process.execPath, '--version']).status === 0
}
