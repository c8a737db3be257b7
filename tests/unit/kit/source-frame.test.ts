import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sourceFrameOf, sourceReader } from '../../../lib/kit/source-frame'
import type { SeenEvent } from '../../../lib/verdict/evidence/evidence'

const NEVER = new AbortController().signal
const fromFiles = sourceReader([], fetch)

/** Bundles a shop with a dependency that calls it back, minified on one line. */
async function bundled(options: BuildOptions): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'source-frame-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules/calls'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/calls/index.js'), `export const call = (work) => {\n  work()\n}\n`)
  writeFileSync(
    join(folder, 'cart.ts'),
    `import { call } from 'calls'\n\nfunction pay(): void {\n  throw new Error('declined')\n}\n\ncall(() => pay())\n`,
  )
  const shared = { absWorkingDir: folder, entryPoints: ['cart.ts'], bundle: true, minify: true, format: 'esm' as const }
  await build({ ...shared, outfile: join(folder, 'dist/cart.mjs'), logLevel: 'silent', ...options })
  return folder
}

type Frame = SeenEvent['exceptions'][number]['frames'][number]

/** An event whose frames point to these texts in a script, the topmost first. */
function eventAt(script: string, filename: string, ...texts: readonly string[]): Pick<SeenEvent, 'exceptions'> {
  const [code = ''] = readFileSync(script, 'utf8').split('\n')
  const frames = texts.map((text): Frame => {
    const at = code.indexOf(text)
    if (at < 0) throw new Error(`${text} is not in ${code}`)
    return { filename, function: 'pay', line: 1, column: at + 1, inApp: true, source: [], vars: null }
  })
  return { exceptions: [{ type: 'Error', value: 'declined', handled: true, mechanism: null, frames }] } as never
}

describe('the frame of the user’s code', () => {
  it.each(['linked', 'inline'] as const)('is mapped through a source map of a file: %s', async (sourcemap) => {
    const folder = await bundled({ sourcemap })
    const script = join(folder, 'dist/cart.mjs')
    expect(await sourceFrameOf(eventAt(script, script, 'new Error'), fromFiles, NEVER)).toEqual({
      file: join(folder, 'cart.ts'),
      line: 4,
      column: 9,
      function: 'pay',
    })
    expect(await sourceFrameOf(eventAt(script, `file://${script}`, 'new Error'), fromFiles, NEVER)).toMatchObject({
      line: 4,
    })
  })

  it('is not that of a dependency, which only the source map shows', async () => {
    const folder = await bundled({ sourcemap: 'linked' })
    const script = join(folder, 'dist/cart.mjs')
    const [code = ''] = readFileSync(script, 'utf8').split('\n')
    const callback = /\w+\(\(\)=>\w+\(\)\)/.exec(code)?.[0] ?? ''
    const work = /=>\{\w\(\)\}/.exec(code)?.[0].slice(3, 4) ?? ''
    expect(await sourceFrameOf(eventAt(script, script, `{${work}()}`, callback), fromFiles, NEVER)).toMatchObject({
      file: join(folder, 'cart.ts'),
      line: 7,
    })
  })

  it('is the frame of the script without a source map, or with a broken one', async () => {
    const folder = await bundled({ sourcemap: false })
    const script = join(folder, 'dist/cart.mjs')
    const event = eventAt(script, script, 'new Error')
    const unmapped = { file: script, line: 1, column: expect.any(Number) }
    expect(await sourceFrameOf(event, fromFiles, NEVER)).toMatchObject(unmapped)
    writeFileSync(script, `${readFileSync(script, 'utf8')}\n//# sourceMappingURL=cart.mjs.map\n`)
    writeFileSync(`${script}.map`, '{')
    expect(await sourceFrameOf(event, fromFiles, NEVER)).toMatchObject(unmapped)
  })

  it('is mapped through scripts of the app’s origin, and of no other', async () => {
    const folder = await bundled({ sourcemap: 'linked', sourceRoot: 'webpack://shop/./' })
    const requested: string[] = []
    const server = createServer(({ url = '' }, answer) => {
      requested.push(url)
      answer.end(readFileSync(join(folder, 'dist', url)))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const event = eventAt(join(folder, 'dist/cart.mjs'), `${origin}/cart.mjs?v=2`, 'new Error')
    expect(await sourceFrameOf(event, sourceReader([], fetch), NEVER)).toMatchObject({ file: 'cart.mjs', line: 1 })
    expect(requested).toEqual([])
    expect(await sourceFrameOf(event, sourceReader([origin], fetch), NEVER)).toMatchObject({
      file: expect.stringMatching(/cart\.ts$/),
      line: 4,
    })
    expect(requested).toEqual(['/cart.mjs', '/cart.mjs.map'])
    server.close()
    server.closeAllConnections()
    expect(await sourceFrameOf(event, sourceReader([origin], fetch), NEVER)).toMatchObject({
      file: 'cart.mjs',
      line: 1,
    })
  })

  it('is null without application code', async () => {
    expect(await sourceFrameOf({ exceptions: [] }, fromFiles, NEVER)).toBe(null)
  })
})
