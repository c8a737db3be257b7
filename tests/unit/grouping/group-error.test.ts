import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Grouping, groupError } from '../../../lib/grouping/group-error'
import { readEvent } from '../../../lib/protocol/items/event'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { valueIn } from '../value-in'

type Fields = Readonly<Record<string, unknown>>

function grouped(payload: Fields): Grouping {
  const all = { event_id: 'a'.repeat(32), platform: 'javascript', ...payload }
  return groupError(valueIn(readEvent(all, null, SIZE_LIMITS)))
}

const md5 = (...values: string[]): string => createHash('md5').update(values.join('')).digest('hex')

const frame = (fields: Fields = {}): Fields => ({
  filename: 'app:///src/Cart.ts',
  function: 'Cart.pay',
  lineno: 10,
  colno: 5,
  in_app: true,
  ...fields,
})
const library = (fields: Fields = {}): Fields =>
  frame({ filename: '/srv/node_modules/pg/client.js', function: 'query', in_app: false, ...fields })
const exception = (fields: Fields = {}, frames: readonly Fields[] = [frame()]): Fields => ({
  type: 'TypeError',
  value: 'order 17 failed',
  stacktrace: { frames },
  ...fields,
})
const thrown = (fields: Fields = {}, frames?: readonly Fields[]): Fields => ({
  exception: { values: [exception(fields, frames)] },
})

it('hashes type and stack with MD5, and the value not at all once a frame counts', () => {
  expect(grouped(thrown()).hash).toBe(md5('TypeError', 'cart.ts', 'pay'))
  expect(grouped(thrown({ value: 'something else' })).hash).toBe(grouped(thrown()).hash)
  expect(grouped(thrown()).variant).toBe('app')
})

it('hashes type and parameterised value without a stack', () => {
  const { hash, variant, title, value } = grouped(thrown({}, []))
  expect([hash, variant, title, value]).toEqual([
    md5('TypeError', 'order <int> failed'),
    'exception',
    'TypeError: order <int> failed',
    'order 17 failed',
  ])
})

it.each<[what: string, frames: readonly Fields[], values: readonly string[]]>([
  ['the base name in lower case and the last part of the function', [frame()], ['cart.ts', 'pay']],
  ['no line numbers', [frame({ lineno: 99, colno: 1 })], ['cart.ts', 'pay']],
  ['the module instead of the file', [frame({ module: 'shop.cart' })], ['shop.cart', 'pay']],
  ['no module that repeats the path', [frame({ module: 'src/Cart' })], ['cart.ts', 'pay']],
  ['no file of a web origin', [frame({ filename: 'http://localhost:3000/cart.js' })], ['pay']],
  ['no file of a blob', [frame({ filename: 'blob:http://x/1' })], ['pay']],
  ['no anonymous function', [frame({ function: '<anonymous>' })], ['cart.ts']],
  ['no function of question marks', [frame({ function: '?' })], ['cart.ts']],
  ['no function that ends in /<', [frame({ function: 'pay/<' })], ['cart.ts']],
  [
    'the executed line, with white space collapsed',
    [frame({ context_line: '   pay(  order )' })],
    ['cart.ts', 'pay', 'pay( order )'],
  ],
  ['no executed line of more than 120 characters', [frame({ context_line: 'x'.repeat(121) })], ['cart.ts', 'pay']],
  ['no executed line of other platforms', [frame({ platform: 'java', context_line: 'x' })], ['cart.ts', 'pay']],
  ['no eval', [frame(), frame({ function: 'eval' })], ['cart.ts', 'pay']],
  ['no native code', [frame(), frame({ filename: '[native code]' })], ['cart.ts', 'pay']],
  ['no recursion', [frame(), frame(), frame()], ['cart.ts', 'pay']],
  ['no frames that are not of the app', [library(), frame()], ['cart.ts', 'pay']],
  ['no library that claims to be of the app', [frame(), library({ in_app: true })], ['cart.ts', 'pay']],
  ['no helper of a runtime', [frame(), frame({ function: 'processTicksAndRejections' })], ['cart.ts', 'pay']],
  ['no helper of a compiler', [frame(), frame({ filename: '/x/tslib/tslib.es6.js' })], ['cart.ts', 'pay']],
  [
    'nothing from reportError on',
    [frame(), frame({ function: 'reportError' }), frame({ function: 'send' })],
    ['cart.ts', 'pay'],
  ],
  [
    'no chunk of Next',
    [frame(), frame({ filename: 'app:///_next/static/chunks/main.js', module: 'main' })],
    ['cart.ts', 'pay'],
  ],
])('the app variant has %s', (_, frames, values) => {
  const { hash, variant } = grouped(thrown({}, frames))
  expect([variant, hash]).toEqual(['app', md5('TypeError', ...values)])
})

it('compares all frames when none is of the app', () => {
  const { hash, variant } = grouped(thrown({}, [library()]))
  expect([variant, hash]).toEqual(['system', md5('TypeError', 'client.js', 'query')])
})

it('drops the only frame of a page when it has no function', () => {
  const frames = [frame({ filename: 'http://localhost/cart.js', function: '?' })]
  expect(grouped(thrown({}, frames)).variant).toBe('exception')
})

it.each([
  'app:///_next/server/chunks/_0kvat_586x-zh._.js',
  'app:///_next/static/chunks/app/page-3f2a9c1b4d5e6f70.js',
  'http://localhost:3000/_next/static/chunks/main-app.js',
  '/srv/.next/server/chunks/ssr/page.js',
  'http://localhost/assets/index-BxK3a9_d.js',
  'http://localhost/assets/index-DiwrgTda.js',
  '/srv/dist/server-Ab12Cd34.mjs',
  '/srv/dist/chunk-ABCDEFGH.js',
  'http://localhost/static/js/main.3f2a9c1b.chunk.js',
  'https://cdn.test/jquery.min.js?v=1',
  'app:///lib/vendor-bundle-min.js',
])('type and message decide when the frames are output of a build, whatever else the stack has: %s', (filename) => {
  const { variant, hash } = grouped(thrown({}, [library(), frame({ filename, module: 'page' })]))
  expect([variant, hash]).toEqual(['exception', md5('TypeError', 'order <int> failed')])
})

it.each([
  'app:///src/use-isMounted.ts',
  '/srv/src/page-userList.js',
  '/srv/src/test-version1.js',
  '/srv/src/order.service.js',
  'app:///src/decade-facade.js',
])('a file of the source is no output of a build: %s', (filename) => {
  expect(grouped(thrown({}, [frame({ filename })])).variant).toBe('app')
})

it('counts every exception of a chain, causes first', () => {
  const values = [exception({ type: 'CauseError', value: 'no 1' }, []), exception()]
  const { hash, title } = grouped({ exception: { values } })
  expect(hash).toBe(md5('CauseError', 'no <int>', 'TypeError', 'cart.ts', 'pay'))
  expect(title).toBe('TypeError: order <int> failed')
})

it('ignores the type that an SDK made up, unless there is nothing else', () => {
  const mechanism = { synthetic: true }
  expect(grouped(thrown({ mechanism })).hash).toBe(md5('cart.ts', 'pay'))
  expect(grouped(thrown({ mechanism, value: undefined }, [])).hash).toBe(md5('TypeError'))
})

const inTree = (id: number, parent: number | null, fields: Fields = {}): Fields =>
  exception(
    {
      mechanism: {
        exception_id: id,
        ...(parent !== null && { parent_id: parent }),
        ...(fields.group === true && { is_exception_group: true }),
      },
      ...fields,
    },
    [],
  )

it('groups an exception group of equal errors with its first path, which gives the title', () => {
  const values = [
    inTree(3, 2, { type: 'Cause', value: 'c' }),
    inTree(2, 0, { type: 'Inner', value: 'n 2' }),
    inTree(1, 0, { type: 'Inner', value: 'n 1' }),
    inTree(0, null, { type: 'AggregateError', value: 'all', group: true }),
  ]
  const { hash, title } = grouped({ exception: { values } })
  expect([hash, title]).toEqual([md5('Inner', 'n <int>'), 'Inner: n <int>'])
})

it('groups an exception group of different errors by each, sorted by type, and the root', () => {
  const values = [
    inTree(2, 0, { type: 'Zeta', value: 'z' }),
    inTree(1, 0, { type: 'Alpha', value: 'a' }),
    inTree(0, null, { type: 'AggregateError', value: 'all', group: true }),
  ]
  const { hash, title } = grouped({ exception: { values } })
  expect([hash, title]).toEqual([md5('Alpha', 'a', 'Zeta', 'z', 'AggregateError', 'all'), 'AggregateError: all'])
})

it.each<[what: string, ids: readonly (readonly [number, number | null])[]]>([
  [
    'a parent that is missing',
    [
      [1, 7],
      [0, null],
    ],
  ],
  [
    'the same id twice',
    [
      [0, null],
      [0, null],
    ],
  ],
  [
    'two roots',
    [
      [1, null],
      [0, null],
    ],
  ],
  [
    'a cycle',
    [
      [1, 2],
      [2, 1],
    ],
  ],
])('compares every exception when the tree is broken: %s', (_, ids) => {
  const values = ids.map(([id, parent]) => inTree(id, parent, { type: `T${id}`, value: 'v', group: true }))
  expect(grouped({ exception: { values } }).hash).toBe(md5(...ids.flatMap(([id]) => [`T${id}`, 'v'])))
})

it('names an error that React wrapped after its cause, and groups it as any chain', () => {
  const values = [
    exception({ type: 'RangeError', value: 'bad 7', mechanism: { source: 'cause' } }, []),
    exception(
      { type: 'Error', value: 'There was an error during concurrent rendering but React was able to recover.' },
      [],
    ),
  ]
  const { hash, title } = grouped({ exception: { values } })
  expect(title).toBe('RangeError: bad <int>')
  expect(hash).toBe(
    md5(
      'RangeError',
      'bad <int>',
      'Error',
      'There was an error during concurrent rendering but React was able to recover.',
    ),
  )
})

it.each<[what: string, payload: Fields, values: readonly string[]]>([
  [
    'the template before the message',
    { logentry: { message: 'order %s failed', formatted: 'order 17 failed' } },
    ['order %s failed'],
  ],
  ['the parameterised message', { message: 'order 17 failed' }, ['order <int> failed']],
  ['the first two lines', { message: 'a\nb\nc' }, ['a\nb...']],
  ['nothing', {}, ['<none>']],
])('an event without an exception is grouped by %s', (_, payload, values) => {
  expect(grouped(payload).hash).toBe(md5(...values))
})

it('takes the stack of the crashed thread, then the current one, then the only one', () => {
  const thread = (name: string, fields: Fields): Fields => ({
    ...fields,
    stacktrace: { frames: [frame({ function: name })] },
  })
  const hashOf = (...values: Fields[]) => grouped({ message: 'm', threads: { values } }).hash
  expect(hashOf(thread('a', { crashed: true }), thread('b', { current: true }))).toBe(md5('cart.ts', 'a'))
  expect(hashOf(thread('a', {}), thread('b', { current: true }))).toBe(md5('cart.ts', 'b'))
  expect(hashOf(thread('a', {}))).toBe(md5('cart.ts', 'a'))
  expect(hashOf(thread('a', {}), thread('b', {}))).toBe(md5('m'))
})

it('a checksum groups alone', () => {
  expect(grouped({ ...thrown(), checksum: 'b'.repeat(32) }).hash).toBe('b'.repeat(32))
  expect(grouped({ ...thrown(), checksum: 'mine', fingerprint: ['x'] }).hash).toBe(md5('mine'))
})

it.each<[fingerprint: readonly string[], values: readonly string[]]>([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [['{{ default }}'], ['TypeError', 'cart.ts', 'pay']],
  [
    ['{{default}}', 'b'],
    ['{{ default }}', 'b', 'TypeError', 'cart.ts', 'pay'],
  ],
  [
    ['{{ transaction }}', '{{ level }}'],
    ['/cart', 'error'],
  ],
  [
    ['{{ error.type }}', '{{ type }}', '{{ error.value }}'],
    ['TypeError', 'TypeError', 'order 17 failed'],
  ],
  [
    ['{{ function }}', '{{ stack.filename }}', '{{ path }}'],
    ['Cart.pay', 'app:///src/Cart.ts', 'app:///src/Cart.ts'],
  ],
  [
    ['{{ tags.shop }}', '{{ tags.none }}'],
    ['north', '<no-value-for-tag-none>'],
  ],
  [
    ['{{ module }}', '{{ logger }}', '{{ stack.package }}'],
    ['<no-module>', '<no-logger>', '<no-package>'],
  ],
  [
    ['{{ weather }}', '{{ constructor }}'],
    ['<unrecognized-variable-weather>', '<unrecognized-variable-constructor>'],
  ],
  [['at {{ type }}'], ['at {{ type }}']],
  [['order 17 failed'], ['order <int> failed']],
])('a fingerprint %j decides', (fingerprint, values) => {
  const event = { ...thrown(), fingerprint, transaction: '/cart', level: 'error', tags: { shop: 'north' } }
  expect(grouped(event).hash).toBe(md5(...values))
})

it.each<[payload: Fields, values: readonly string[]]>([
  [thrown({ type: 'ChunkLoadError' }), ['chunkloaderror']],
  [{ ...thrown({ value: 'ChunkLoadError: Loading chunk 7 failed' }), fingerprint: ['mine'] }, ['chunkloaderror']],
  [
    { ...thrown({ value: 'Hydration failed because the initial UI does not match' }), transaction: '/a' },
    ['hydrationerror', '/a'],
  ],
  [
    { ...thrown({ value: 'Text content does not match server-rendered HTML.' }), tags: { transaction: '/b' } },
    ['hydrationerror', '/b'],
  ],
])('built-in rules replace the fingerprint (%#)', (payload, values) => {
  const { hash, variant } = grouped(payload)
  expect([hash, variant]).toEqual([md5(...values), 'built_in'])
})

it('names the newest call in the app, else the newest call', () => {
  expect(grouped(thrown({}, [frame(), library()])).top).toEqual({
    function: 'Cart.pay',
    file: 'app:///src/Cart.ts',
    line: 10,
  })
  expect(grouped(thrown({}, [library({ function: 'old' }), library()])).top?.function).toBe('query')
  expect(grouped({ message: 'm' }).top).toBeNull()
})

it('explains each part of a decision, the decisive variant first', () => {
  const chunk = frame({ filename: 'app:///_next/static/chunks/a.js', function: 't' })
  const [decided, ...others] = grouped(thrown({}, [chunk])).explain()
  expect(decided).toEqual({
    variant: 'exception',
    hash: md5('TypeError', 'order <int> failed'),
    hint: null,
    parts: [
      { kind: 'type', exception: 0, text: 'TypeError', counts: true, hint: null },
      { kind: 'value', exception: 0, text: 'order <int> failed', counts: true, hint: 'parameters are replaced' },
      {
        kind: 'frame',
        exception: 0,
        text: 'a.js › t',
        counts: false,
        hint: 'the file is output of a build, and its name changes with each one',
      },
    ],
  })
  expect(others.map(({ variant, hash }) => [variant, hash])).toEqual([
    ['app', null],
    ['system', null],
  ])
})

it('explains that a fingerprint decides, and which stack it replaced', () => {
  const [decided, app] = grouped({ ...thrown(), fingerprint: ['mine'] }).explain()
  expect(decided?.parts).toEqual([{ kind: 'fingerprint', exception: null, text: 'mine', counts: true, hint: null }])
  expect([app?.variant, app?.hash, app?.hint]).toEqual([
    'app',
    md5('TypeError', 'cart.ts', 'pay'),
    'the fingerprint decides',
  ])
})

it('reads 50 entries of a fingerprint, and 1000 characters of each', () => {
  const entries = Array.from({ length: 60 }, (_, index) => `${index}`)
  expect(grouped({ fingerprint: entries }).hash).toBe(md5(...entries.slice(0, 50)))
  expect(grouped({ fingerprint: ['x'.repeat(1001)] }).hash).toBe(md5('x'.repeat(1000)))
})

it('reads the frames and exceptions of a hostile event within bounds', () => {
  const frames = Array.from({ length: 5000 }, (_, index) => frame({ function: `f${index}` }))
  const values = Array.from({ length: 1000 }, () => exception({}, frames.slice(0, 3)))
  expect(grouped(thrown({}, frames)).explain()[0]?.parts.length).toBe(202)
  expect(grouped({ exception: { values } }).explain()[0]?.parts.length).toBe(50 * 5)
  expect(() =>
    grouped({ exception: { values: [{ stacktrace: { frames: [{ filename: 7, function: {}, module: [] }] } }] } }),
  ).not.toThrow()
})
