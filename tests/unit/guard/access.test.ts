import { expect, it } from 'vitest'
import {
  type AccessPolicy,
  type AccessRequest,
  refuseAccess,
  refuseForm,
  refuseVisitor,
} from '../../../lib/guard/access'

const open: AccessPolicy = { tokenRequired: false, hosts: [], origins: ['http://localhost:3000'] }
const widened: AccessPolicy = { ...open, hosts: ['dev.box'] }
const guarded: AccessPolicy = { ...open, tokenRequired: true }

const program: AccessRequest = {
  host: '127.0.0.1:8969',
  origin: null,
  fetchSite: null,
  fetchDest: null,
  holdsToken: false,
}
/** A same-origin fetch of a page has no Origin on GET, and always one on POST. */
const ownPage: AccessRequest = { ...program, host: 'localhost:3000', fetchSite: 'same-origin', fetchDest: 'empty' }
const foreignPage: AccessRequest = {
  ...program,
  origin: 'https://evil.test',
  fetchSite: 'cross-site',
  fetchDest: 'empty',
}

type Answer = 'granted' | 401 | 403

type Row = readonly [name: string, request: AccessRequest]
/** Requests with the same answers to a read and to a change. */
const answered = (policy: AccessPolicy, read: Answer, change: Answer, rows: readonly Row[]) =>
  rows.map(([name, request]) => [name, request, policy, read, change] as const)

const TABLE = [
  // Without a token: this machine only, and no foreign page.
  ...answered(open, 'granted', 'granted', [
    ['a program on this machine', program],
    ['a program that calls it localhost', { ...program, host: 'localhost:8969' }],
    ['a program over IPv6', { ...program, host: '[::1]:8969' }],
    ['a program without a port', { ...program, host: '127.0.0.1' }],
    ["the app's own page", ownPage],
    ["the app's own page that names its origin", { ...ownPage, origin: 'http://localhost:3000' }],
    [
      "the app's page at the collector",
      { ...program, origin: 'http://localhost:3000', fetchSite: 'same-site', fetchDest: 'empty' },
    ],
    [
      'a page that the collector serves itself',
      { ...program, origin: 'http://127.0.0.1:8969', fetchSite: 'same-origin' },
    ],
    ['a host in capitals with its own page', { ...program, host: 'LOCALHOST:3000', origin: 'http://localhost:3000' }],
    ['a person who follows a link from elsewhere', { ...program, fetchSite: 'cross-site', fetchDest: 'document' }],
    ['a person who types the address', { ...program, fetchSite: 'none', fetchDest: 'document' }],
  ]),
  ...answered(open, 403, 403, [
    ['a rebinding page: its own name in the Host', { ...ownPage, host: 'evil.test:8969' }],
    ['a rebinding page that names its origin', { ...ownPage, host: 'evil.test:8969', origin: 'http://evil.test:8969' }],
    ['a name that begins like this machine', { ...program, host: 'localhost.evil.test' }],
    ['an address that begins like this machine', { ...program, host: '127.0.0.1.evil.test' }],
    ['brackets that begin like this machine', { ...program, host: '[::1].evil.test' }],
    ['every address', { ...program, host: '0.0.0.0:8969' }],
    ['a neighbour on the network', { ...program, host: '192.168.1.5:8969' }],
    ['no Host', { ...program, host: null }],
    ['an empty Host', { ...program, host: '' }],
    ['a foreign page', foreignPage],
    ['a page of this machine on another port', { ...program, origin: 'http://localhost:5173', fetchSite: 'same-site' }],
    ['a page of this host over https', { ...program, origin: 'https://localhost:3001' }],
    ['a sandboxed frame', { ...program, origin: 'null', fetchSite: 'cross-site' }],
    ['an origin that is none', { ...program, origin: 'nonsense' }],
    ['an origin that begins like ours', { ...program, origin: 'http://localhost:3000.evil.test' }],
    ['a foreign page that asks without an Origin (no-cors)', { ...foreignPage, origin: null, fetchDest: 'image' }],
    [
      'a foreign page that loads it as an image',
      { ...foreignPage, origin: null, fetchDest: 'image', fetchSite: 'cross-site' },
    ],
    ['a frame in a foreign page', { ...program, fetchSite: 'cross-site', fetchDest: 'iframe' }],
    ['a form of a foreign page', { ...foreignPage, fetchDest: 'document' }],
  ]),
  ...answered(guarded, 403, 403, [
    [
      'an image in a foreign page, with the token',
      { ...program, fetchSite: 'cross-site', fetchDest: 'image', holdsToken: true },
    ],
  ]),
  // WAYSTATION_HOSTS widens the Host check and nothing else.
  ...answered(widened, 'granted', 'granted', [
    ['a host that was named', { ...program, host: 'Dev.Box:8969' }],
    ['a page of a host that was named', { ...program, host: 'dev.box', origin: 'http://dev.box' }],
  ]),
  ...answered(widened, 403, 403, [
    ['a foreign page at a host that was named', { ...foreignPage, host: 'dev.box' }],
    ['a host below one that was named', { ...program, host: 'x.dev.box' }],
  ]),
  // A token counts instead of the Host; a foreign page changes nothing whatever it holds.
  ...answered(guarded, 401, 401, [
    ['a program without the token', program],
    ['a page of its own without the token', ownPage],
  ]),
  ...answered(guarded, 401, 403, [['a foreign page without the token', foreignPage]]),
  ...answered(guarded, 'granted', 'granted', [
    ['a program with the token, from anywhere', { ...program, host: '192.168.1.5:8969', holdsToken: true }],
    ['a page of its own with the token', { ...ownPage, host: 'box.test', origin: 'http://box.test', holdsToken: true }],
  ]),
  ...answered(guarded, 'granted', 403, [
    ['a foreign page with the token', { ...foreignPage, holdsToken: true }],
    ['a foreign page that posts with the cookie', { ...foreignPage, origin: 'null', holdsToken: true }],
  ]),
]

it.each(TABLE)('refuseAccess answers %s', (_name, request, policy, read, change) => {
  expect(refuseAccess(request, policy, 'read')?.status ?? 'granted').toBe(read)
  expect(refuseAccess(request, policy, 'change')?.status ?? 'granted').toBe(change)
})

it('refuseAccess gives the reason', () => {
  expect(refuseAccess({ ...program, host: 'evil.test:80' }, open, 'read')?.detail).toBe(
    'the Host "evil.test" is neither a loopback name nor in WAYSTATION_HOSTS',
  )
  expect(refuseAccess(foreignPage, open, 'read')?.detail).toContain('a page of https://evil.test has no access')
  expect(refuseAccess(program, guarded, 'read')?.detail).toContain('sign in at /login')
})

const cross = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }

it.each([
  ['this machine', open, { host: 'localhost:3000' }, 'granted'],
  ['a foreign Host', open, { host: 'evil.test' }, 403],
  ['a named Host', widened, { host: 'dev.box' }, 'granted'],
  ['any Host, with a token', guarded, { host: 'shop.example' }, 'granted'],
  ['a frame of another site, with a token', guarded, { host: 'shop.example', ...cross }, 403],
  ['a link of another site', open, { host: 'localhost:3000', ...cross, 'sec-fetch-dest': 'document' }, 'granted'],
])('refuseVisitor: %s', (_name, policy, headers, answer) => {
  expect(refuseVisitor(new Headers(headers), policy)?.status ?? 'granted').toBe(answer)
})

it.each([
  ['its own page', open, { host: 'localhost:3000', origin: 'http://localhost:3000' }, 'granted'],
  ['a program', open, { host: 'localhost:3000' }, 'granted'],
  ['a foreign page', open, { host: 'localhost:3000', origin: 'https://evil.test' }, 403],
  ['a foreign Host that names itself', open, { host: 'evil.test', origin: 'http://evil.test' }, 403],
  ['any Host, with a token', guarded, { host: 'shop.example', origin: 'https://shop.example' }, 'granted'],
  ['a foreign page, with a token', guarded, { host: 'shop.example', origin: 'https://evil.test' }, 403],
])('refuseForm: %s', (_name, policy, headers, answer) => {
  expect(refuseForm(new Headers(headers), policy)?.status ?? 'granted').toBe(answer)
})
