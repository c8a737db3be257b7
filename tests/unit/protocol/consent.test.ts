import { expect, it } from 'vitest'
import {
  allowsItem,
  type Consent,
  type ConsentPolicy,
  chosenConsent,
  consentOfRequest,
} from '../../../lib/protocol/consent'

const POLICY: ConsentPolicy = { byDefault: 'kept', bySignal: 'errors' }

it.each<[Record<string, string>, ConsentPolicy, Consent]>([
  [{}, POLICY, 'kept'],
  [{ 'sec-gpc': '1' }, POLICY, 'errors'],
  [{ dnt: '1' }, POLICY, 'errors'],
  [{ dnt: '0', 'sec-gpc': '0' }, POLICY, 'kept'],
  [{ 'sec-gpc': '1' }, { ...POLICY, bySignal: 'off' }, 'off'],
  [{ 'sec-gpc': '1' }, { ...POLICY, bySignal: null }, 'kept'],
  [{ cookie: 'a=b; waystation-consent=all; c=d', 'sec-gpc': '1' }, POLICY, 'all'],
  [{ cookie: 'waystation-consent=everything' }, POLICY, 'kept'],
  [{ cookie: 'waystation-consent=all; waystation-consent=off' }, POLICY, 'off'],
  [{ cookie: 'waystation-consent=everything; waystation-consent=errors' }, POLICY, 'errors'],
  [{ cookie: 'x-waystation-consent=off' }, POLICY, 'kept'],
])(
  'the choice comes before the signal of the browser, and that before the default: %j, %j → %s',
  (sent, policy, level) => {
    expect(consentOfRequest(new Headers(sent), policy)).toBe(level)
  },
)

it.each([null, '', 'waystation-consent=', 'waystation-consent=OFF', 'waystation-consent="off"'])(
  'no choice is read from the cookies %j',
  (cookies) => {
    expect(chosenConsent(cookies)).toBeNull()
  },
)

it('errors allow errors with their files, messages and counts of losses; off allows nothing', () => {
  const types = ['event', 'attachment', 'feedback', 'user_report', 'client_report', 'raw_security']
  const others = ['transaction', 'span', 'log', 'session', 'sessions', 'trace_metric', 'replay_event', 'profile', 'new']
  for (const type of types) expect([type, allowsItem('errors', type)]).toEqual([type, true])
  for (const type of others) expect([type, allowsItem('errors', type)]).toEqual([type, false])
  for (const type of [...types, ...others]) {
    expect(allowsItem('off', type)).toBe(false)
    expect(allowsItem('kept', type) && allowsItem('all', type)).toBe(true)
  }
})
