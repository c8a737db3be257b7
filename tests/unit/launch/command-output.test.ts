import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'

const MODULE = new URL('../../../collector/launch/command-output.js', import.meta.url).href
/** More than a pipe and the buffers of both processes hold. */
const PRINTED = 2_000_000

/** Starts a program that prints more than a pipe holds, says so on stderr, and exits with 3. */
async function printing(): Promise<{
  readonly child: ChildProcess
  readonly ended: Promise<unknown[]>
  readonly out: NodeJS.ReadableStream
}> {
  const program = `
    import { exitWhenWritten, ignoreClosedOutput } from ${JSON.stringify(MODULE)}
    ignoreClosedOutput()
    process.stdout.write('x'.repeat(${PRINTED}))
    setImmediate(() => console.error('printed'))
    setInterval(() => {}, 1000)
    await exitWhenWritten(3)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  await once(child.stderr, 'data')
  return { child, ended, out: child.stdout }
}

describe('the exit of a command', () => {
  it('waits until a late reader has everything', async () => {
    const { ended, out } = await printing()
    let bytes = 0
    out.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(out, 'end')
    expect({ bytes, code: (await ended)[0] }).toEqual({ bytes: PRINTED, code: 3 })
  })

  it('does not wait for a reader that has gone', async () => {
    const { child, ended } = await printing()
    child.stdout?.destroy()
    expect((await ended)[0]).toBe(3)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('ends the wait at %s', async (signal, code) => {
    const { child, ended } = await printing()
    child.kill(signal)
    expect((await ended)[0]).toBe(code)
    child.stdout?.destroy()
  })
})
