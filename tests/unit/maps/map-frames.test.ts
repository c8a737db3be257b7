import { readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFrameMapping, type MappedStacks, type SentFrame } from '../../../collector/maps/map-frames'
import { BUILT_AT, buildShop, CART, frameAt, project, SENT_AT, writeBelow } from './built-app'

const mapWith = (roots: readonly string[], ...frames: readonly SentFrame[]): MappedStacks =>
  createFrameMapping(roots)({ eventId: 'e'.repeat(32), timestampMs: SENT_AT, exceptions: [{ frames }] })
const only = ({ exceptions }: MappedStacks) => exceptions[0]?.frames[0]

const DECLINED = {
  result: 'mapped',
  source: 'app/cart.ts',
  line: 4,
  column: 9,
  inApp: true,
  otherBuild: null,
}

describe('a frame', () => {
  it.each([
    ['app:///_next/static/chunks/cart.js', '.next/static/chunks/cart.js'],
    ['app:///_next/static/chunks/%5Bid%5D/cart.js', '.next/static/chunks/[id]/cart.js'],
    ['app:///_next/server/chunks/cart.js', '.next/dev/server/chunks/cart.js'],
    ['http://localhost:3000/_next/static/chunks/cart.js?v=1', '.next/static/chunks/cart.js'],
    ['http://127.0.0.1:4173/assets/cart-1a.js', 'dist/assets/cart-1a.js'],
    ['http://[::1]:4173/assets/cart-1a.js', 'build/assets/cart-1a.js'],
    ['app:///dist/cart.js', 'dist/cart.js'],
    ['./dist/cart.js', 'dist/cart.js'],
  ])('of %s is mapped through %s', async (filename, outfile) => {
    const folder = project()
    const script = await buildShop(folder, outfile)
    const frame = frameAt(readFileSync(script, 'utf8'), filename, 'new Error')
    const mapped = mapWith([folder], frame)
    expect(only(mapped)).toMatchObject({ ...DECLINED, path: join(folder, 'app/cart.ts') })
    expect(mapped.summary).toBe('source maps found for all frames')
  })

  it.each(['%s', 'file://%s'])('of an absolute path is mapped: %s', async (form) => {
    const folder = project()
    const script = await buildShop(folder, 'out/[id].js', { sourcemap: 'inline' })
    const frame = frameAt(readFileSync(script, 'utf8'), form.replace('%s', script), 'new Error')
    expect(only(mapWith([folder], frame))).toMatchObject(DECLINED)
  })

  it('is mapped below a build folder, which is a root itself', async () => {
    const folder = project()
    const script = await buildShop(folder, 'builds/7/static/cart.js')
    const frame = frameAt(readFileSync(script, 'utf8'), 'app:///_next/static/cart.js', 'new Error')
    // The source is outside this root: its text comes from the map.
    expect(only(mapWith([join(folder, 'builds/7')], frame))).toMatchObject({ ...DECLINED, path: null })
  })

  it('has five lines of its source on each side, from the map or from disk, each cut at 400 characters', async () => {
    const folder = project()
    const long = `${CART}// ${'x'.repeat(500)}\n`
    for (const sourcesContent of [true, false]) {
      const script = await buildShop(folder, 'dist/cart.js', { sourcesContent })
      if (!sourcesContent) writeBelow(folder, 'app/cart.ts', long)
      const frame = only(mapWith([folder], frameAt(readFileSync(script, 'utf8'), script, 'new Error')))
      const code = frame?.result === 'mapped' ? frame.code : []
      expect(code.map(({ line, text }) => [line, text])).toEqual(
        (sourcesContent ? CART : long)
          .split('\n')
          .slice(0, 9)
          .map((text, index) => [index + 1, text.slice(0, 400)]),
      )
      expect(code.find(({ ran }) => ran)?.line).toBe(4)
    }
  })

  it('of a dependency is a library frame, which only the map shows', async () => {
    const folder = project()
    const script = await buildShop(folder, 'dist/cart.js', {
      minifyIdentifiers: false,
      minifySyntax: false,
      minify: false,
    })
    const text = readFileSync(script, 'utf8')
    expect(only(mapWith([folder], frameAt(text, script, 'work()')))).toMatchObject({
      source: 'node_modules/calls/index.js',
      inApp: false,
    })
  })

  it('has the name by which the caller’s source calls it, when its own is minified', async () => {
    const folder = project()
    const script = await buildShop(folder, 'dist/cart.js')
    const text = readFileSync(script, 'utf8')
    const called = /=>(\w+)\(\)\)/.exec(text)?.[1] ?? ''
    const [top] =
      mapWith(
        [folder],
        frameAt(text, script, 'new Error', { function: called }),
        frameAt(text, script, `${called}())`, { function: null }),
      ).exceptions[0]?.frames ?? []
    expect(top).toMatchObject({ raw: { function: called }, function: 'pay' })
  })

  it('may be of another build when the script is newer than the event, or has another line', async () => {
    const folder = project()
    const script = await buildShop(folder, 'dist/cart.js')
    const frame = frameAt(readFileSync(script, 'utf8'), script, 'new Error')
    const map = createFrameMapping([folder])
    const mapped = (given: Partial<SentFrame>) =>
      only(map({ eventId: '', timestampMs: SENT_AT, exceptions: [{ frames: [{ ...frame, ...given }] }] }))
    expect(mapped({ contextLine: '{snip} throw new Error("declined") {snip}' })).toMatchObject({ otherBuild: null })
    expect(mapped({ contextLine: '{snip} throw new Error("paid") {snip}' })).toMatchObject({
      otherBuild: 'the line of the script differs from the one that the SDK sent',
    })
    utimesSync(script, new Date(SENT_AT + 1), new Date(SENT_AT + 1))
    expect(mapped({})).toMatchObject({ otherBuild: 'the script on disk is newer than the event' })
  })

  it.each([
    [null, 'the SDK sent no file'],
    ['node:internal/process/task_queues', 'it is part of the runtime'],
    ['<anonymous>', 'it is part of the runtime'],
    ['http://localhost:3000/cart', 'it is not a script file'],
    ['app/cart.py', 'it is not a script file'],
    ['./app/page.tsx', 'the SDK mapped it already'],
  ])('of %s stays as it was sent', (filename, reason) => {
    const folder = project()
    writeBelow(folder, 'app/page.tsx', 'one\ntwo\n')
    const frame = { filename, function: null, line: 2, column: 1, inApp: false, contextLine: null }
    const mapped = mapWith([folder], frame)
    expect(mapped.summary).toBe('no frame needs a source map')
    const ofDisk = filename === './app/page.tsx'
    expect(only(mapped)).toMatchObject({
      ...{ result: 'as sent', reason, inApp: false },
      path: ofDisk ? join(folder, 'app/page.tsx') : null,
      code: ofDisk ? [{ line: 1 }, { line: 2, text: 'two', ran: true }, { line: 3 }] : [],
    })
  })

  it('of a script that nobody bundled shows its own lines', () => {
    const folder = project()
    const script = writeBelow(folder, 'server.js', 'start()\nthrow 1\n')
    expect(only(mapWith([folder], frameAt('start()\nthrow 1', script, 'throw')))).toMatchObject({
      ...{ result: 'as sent', reason: 'the script has no source map', path: script },
      code: [{ text: 'start()' }, { text: 'throw 1', ran: true }, { text: '' }],
    })
  })
})

describe('no source map is found', () => {
  it.each([
    [
      'http://localhost:5173/src/app.tsx?t=1',
      'a development server made this script in memory; its source map is not on disk',
    ],
    ['webpack-internal:///./app/page.js', 'webpack-internal: addresses name no file on disk'],
  ])('for %s', (filename, reason) => {
    const frame = { filename, function: null, line: 1, column: 1, inApp: true, contextLine: null }
    expect(only(mapWith([project()], frame))).toMatchObject({ result: 'not found', reason, lookedFor: [] })
  })

  it('for a missing script, map or line, and the answer names the files that were looked for', async () => {
    const folder = project()
    const script = await buildShop(folder, '.next/static/cart.js')
    const frame = frameAt(readFileSync(script, 'utf8'), 'app:///_next/static/cart.js', 'new Error')
    const map = createFrameMapping([folder])
    const mapped = (given: Partial<SentFrame> = {}) =>
      map({ eventId: '', timestampMs: SENT_AT, exceptions: [{ frames: [{ ...frame, ...given }] }] })
    expect(only(mapped({ line: 900 }))).toMatchObject({ reason: expect.stringContaining('has no entry for 900:') })
    renameSync(`${script}.map`, `${script}.away`)
    writeFileSync(script, readFileSync(script, 'utf8').trim())
    expect(only(mapped({ column: 2 }))).toMatchObject({
      reason: '.next/static/cart.js names a source map that does not exist',
      lookedFor: [script, `${script}.map`],
    })
    writeFileSync(`${script}.map`, '{')
    expect(only(mapped({ column: 2 }))).toMatchObject({
      reason: 'the source map in .next/static/cart.js.map is broken',
    })
    expect(only(mapped({ filename: 'app:///_next/static/gone.js' }))).toMatchObject({
      result: 'not found',
      lookedFor: ['.next', '.next/dev', '.', 'dev'].map((one) => join(folder, one, 'static/gone.js')),
    })
  })

  it('and the summary counts the frames, with the most frequent reason', async () => {
    const folder = project()
    const script = await buildShop(folder, '.next/static/cart.js')
    const frame = frameAt(readFileSync(script, 'utf8'), 'app:///_next/static/cart.js', 'new Error')
    const gone = { ...frame, filename: 'app:///_next/static/gone.js' }
    const runtime = { ...frame, filename: 'node:events' }
    expect(mapWith([folder], frame, gone, { ...gone, line: 2 }, { ...frame, line: 900 }, runtime).summary).toBe(
      '1 of 4 frames mapped: the script is not on this disk; WAYSTATION_SOURCE_MAPS names the folders of other builds',
    )
  })
})

describe('nothing is read', () => {
  const refused = { result: 'refused' }

  it('outside the roots, by paths, dots or links', async () => {
    const folder = project()
    const outside = project()
    const script = await buildShop(outside, 'dist/cart.js')
    const text = readFileSync(script, 'utf8')
    symlinkSync(outside, join(folder, 'linked'))
    const names = [
      script,
      `file://${script}`,
      `app:///linked/dist/cart.js`,
      `app:///_next/..%2f..%2f..%2f..%2f..%2f..%2f..${script}`,
      `../${outside.split('/').at(-1)}/dist/cart.js`,
    ]
    for (const filename of names)
      expect([filename, only(mapWith([folder], frameAt(text, filename, 'new Error')))]).toMatchObject([
        filename,
        refused,
      ])
    expect(only(mapWith([folder, outside], frameAt(text, script, 'new Error')))).toMatchObject(DECLINED)
    expect(only(mapWith(['/'], frameAt(text, script, 'new Error')))).toMatchObject(refused)
  })

  it('from the map or the sources that a script names outside the roots', async () => {
    const folder = project()
    const outside = project()
    writeBelow(outside, 'secret.ts', 'secret\n')
    const map = { version: 3, sources: [join(outside, 'secret.ts')], names: [], mappings: 'AAAA' }
    writeBelow(outside, 'a.js.map', JSON.stringify(map))
    const away = writeBelow(folder, 'away.js', `a()\n//# sourceMappingURL=${outside}/a.js.map`)
    expect(only(mapWith([folder], frameAt('a()', away, 'a()')))).toMatchObject({
      ...refused,
      reason: 'the source map that away.js names is outside the roots',
    })
    const fetched = writeBelow(folder, 'fetched.js', 'a()\n//# sourceMappingURL=https://shop.test/a.js.map')
    expect(only(mapWith([folder], frameAt('a()', fetched, 'a()')))).toMatchObject(refused)
    writeBelow(folder, 'a.js.map', JSON.stringify(map))
    const near = writeBelow(folder, 'a.js', 'a()\n//# sourceMappingURL=a.js.map')
    expect(only(mapWith([folder], frameAt('a()', near, 'a()')))).toMatchObject({
      result: 'mapped',
      path: null,
      code: [],
    })
  })

  it('of hosts that are not on loopback, of zero bytes, and of files without the extension of a source', () => {
    const folder = project()
    writeBelow(folder, '.env', 'SECRET=1\n')
    writeBelow(folder, 'dist/cart.js', 'a()')
    const frame = (filename: string) => ({
      filename,
      function: null,
      line: 1,
      column: 1,
      inApp: true,
      contextLine: null,
    })
    expect(only(mapWith([folder], frame('https://shop.test/dist/cart.js')))).toMatchObject({
      ...refused,
      reason: 'shop.test is not a loopback host; source maps are only read from this disk',
    })
    expect(only(mapWith([folder], frame('app:///a%00.js')))).toMatchObject(refused)
    expect(only(mapWith([folder], frame(join(folder, '.env'))))).toMatchObject({
      result: 'as sent',
      path: null,
      code: [],
    })
  })

  it('over 64 MiB', () => {
    const folder = project()
    const script = writeBelow(folder, 'dist/cart.js', 'a()\n//# sourceMappingURL=cart.js.map')
    writeBelow(folder, 'dist/cart.js.map', ' '.repeat(64 * 2 ** 20 + 1))
    expect(only(mapWith([folder], frameAt('a()', script, 'a()')))).toMatchObject({
      ...refused,
      reason: 'dist/cart.js.map has 65 MiB; at most 64 MiB are read',
    })
  })

  it('for more than 500 frames of an event', async () => {
    const folder = project()
    const script = await buildShop(folder, 'dist/cart.js')
    const frame = frameAt(readFileSync(script, 'utf8'), script, 'new Error')
    const mapped = mapWith([folder], ...Array.from({ length: 501 }, () => ({ ...frame })))
    expect(mapped.exceptions[0]?.frames.map(({ result }) => result)).toEqual([...Array(500).fill('mapped'), 'refused'])
    expect(mapped.summary).toBe('500 of 501 frames mapped: only the first 500 frames of an event are mapped')
  })
})

it('reads a map once while its script stays the same', async () => {
  const folder = project()
  const script = await buildShop(folder, 'dist/cart.js')
  const frame = frameAt(readFileSync(script, 'utf8'), script, 'new Error')
  const map = createFrameMapping([folder])
  const mapped = () => only(map({ eventId: '', timestampMs: SENT_AT, exceptions: [{ frames: [frame] }] }))
  expect(mapped()).toMatchObject(DECLINED)
  renameSync(`${script}.map`, `${script}.away`)
  expect(mapped()).toMatchObject(DECLINED)
  utimesSync(script, BUILT_AT, new Date(BUILT_AT.getTime() + 1000))
  expect(mapped()).toMatchObject({ result: 'not found' })
})
