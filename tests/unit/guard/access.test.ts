import { describe, expect, it } from 'vitest'
import { type AccessPolicy, type AccessRequest, refuseAccess } from '../../../lib/guard/access'

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

/** One line per request, with the answers to a read and to a change. */
const TABLE: readonly (readonly [
  name: string,
  request: AccessRequest,
  policy: AccessPolicy,
  read: Answer,
  change: Answer,
])[] = [
  // Without a token: this machine only, and no foreign page.
  ['a program on this machine', program, open, 'granted', 'granted'],
  ['a program that calls it localhost', { ...program, host: 'localhost:8969' }, open, 'granted', 'granted'],
  ['a program over IPv6', { ...program, host: '[::1]:8969' }, open, 'granted', 'granted'],
  ['a program without a port', { ...program, host: '127.0.0.1' }, open, 'granted', 'granted'],
  ["the app's own page", ownPage, open, 'granted', 'granted'],
  [
    "the app's own page that names its origin",
    { ...ownPage, origin: 'http://localhost:3000' },
    open,
    'granted',
    'granted',
  ],
  [
    "the app's page at the collector",
    { ...program, origin: 'http://localhost:3000', fetchSite: 'same-site', fetchDest: 'empty' },
    open,
    'granted',
    'granted',
  ],
  [
    'a page that the collector serves itself',
    { ...program, origin: 'http://127.0.0.1:8969', fetchSite: 'same-origin' },
    open,
    'granted',
    'granted',
  ],
  [
    'a host in capitals with its own page',
    { ...program, host: 'LOCALHOST:3000', origin: 'http://localhost:3000' },
    open,
    'granted',
    'granted',
  ],

  ['a rebinding page: its own name in the Host', { ...ownPage, host: 'evil.test:8969' }, open, 403, 403],
  [
    'a rebinding page that names its origin',
    { ...ownPage, host: 'evil.test:8969', origin: 'http://evil.test:8969' },
    open,
    403,
    403,
  ],
  ['a name that begins like this machine', { ...program, host: 'localhost.evil.test' }, open, 403, 403],
  ['an address that begins like this machine', { ...program, host: '127.0.0.1.evil.test' }, open, 403, 403],
  ['brackets that begin like this machine', { ...program, host: '[::1].evil.test' }, open, 403, 403],
  ['every address', { ...program, host: '0.0.0.0:8969' }, open, 403, 403],
  ['a neighbour on the network', { ...program, host: '192.168.1.5:8969' }, open, 403, 403],
  ['no Host', { ...program, host: null }, open, 403, 403],
  ['an empty Host', { ...program, host: '' }, open, 403, 403],

  ['a foreign page', foreignPage, open, 403, 403],
  [
    'a page of this machine on another port',
    { ...program, origin: 'http://localhost:5173', fetchSite: 'same-site' },
    open,
    403,
    403,
  ],
  ['a page of this host over https', { ...program, origin: 'https://localhost:3001' }, open, 403, 403],
  ['a sandboxed frame', { ...program, origin: 'null', fetchSite: 'cross-site' }, open, 403, 403],
  ['an origin that is none', { ...program, origin: 'nonsense' }, open, 403, 403],
  ['an origin that begins like ours', { ...program, origin: 'http://localhost:3000.evil.test' }, open, 403, 403],
  [
    'a foreign page that asks without an Origin (no-cors)',
    { ...foreignPage, origin: null, fetchDest: 'image' },
    open,
    403,
    403,
  ],
  [
    'a foreign page that loads it as an image',
    { ...foreignPage, origin: null, fetchDest: 'image', fetchSite: 'cross-site' },
    open,
    403,
    403,
  ],
  [
    'a person who follows a link from elsewhere',
    { ...program, fetchSite: 'cross-site', fetchDest: 'document' },
    open,
    'granted',
    'granted',
  ],
  ['a frame in a foreign page', { ...program, fetchSite: 'cross-site', fetchDest: 'iframe' }, open, 403, 403],
  [
    'an image in a foreign page, with the token',
    { ...program, fetchSite: 'cross-site', fetchDest: 'image', holdsToken: true },
    guarded,
    403,
    403,
  ],
  ['a form of a foreign page', { ...foreignPage, fetchDest: 'document' }, open, 403, 403],
  [
    'a person who types the address',
    { ...program, fetchSite: 'none', fetchDest: 'document' },
    open,
    'granted',
    'granted',
  ],

  // WAYSTATION_HOSTS widens the Host check and nothing else.
  ['a host that was named', { ...program, host: 'Dev.Box:8969' }, widened, 'granted', 'granted'],
  [
    'a page of a host that was named',
    { ...program, host: 'dev.box', origin: 'http://dev.box' },
    widened,
    'granted',
    'granted',
  ],
  ['a foreign page at a host that was named', { ...foreignPage, host: 'dev.box' }, widened, 403, 403],
  ['a host below one that was named', { ...program, host: 'x.dev.box' }, widened, 403, 403],

  // A token counts instead of the Host; a foreign page changes nothing whatever it holds.
  ['a program without the token', program, guarded, 401, 401],
  ['a page of its own without the token', ownPage, guarded, 401, 401],
  ['a foreign page without the token', foreignPage, guarded, 401, 403],
  [
    'a program with the token, from anywhere',
    { ...program, host: '192.168.1.5:8969', holdsToken: true },
    guarded,
    'granted',
    'granted',
  ],
  [
    'a page of its own with the token',
    { ...ownPage, host: 'box.test', origin: 'http://box.test', holdsToken: true },
    guarded,
    'granted',
    'granted',
  ],
  ['a foreign page with the token', { ...foreignPage, holdsToken: true }, guarded, 'granted', 403],
  [
    'a foreign page that posts with the cookie',
    { ...foreignPage, origin: 'null', holdsToken: true },
    guarded,
    'granted',
    403,
  ],
]

describe('refuseAccess', () => {
  it.each(TABLE)('%s', (_name, request, policy, read, change) => {
    expect(refuseAccess(request, policy, 'read')?.status ?? 'granted').toBe(read)
    expect(refuseAccess(request, policy, 'change')?.status ?? 'granted').toBe(change)
  })

  it('gives the reason', () => {
    expect(refuseAccess({ ...program, host: 'evil.test:80' }, open, 'read')?.detail).toBe(
      'the Host "evil.test" is neither a loopback name nor in WAYSTATION_HOSTS',
    )
    expect(refuseAccess(foreignPage, open, 'read')?.detail).toContain('a page of https://evil.test has no access')
    expect(refuseAccess(program, guarded, 'read')?.detail).toContain('sign in at /login')
  })
})
