import { expect, it } from 'vitest'
import { capturedSignals, problemOf, signalOf } from './read-signals'

const EVENT = 'ab'.repeat(16)

it('feedback has the text of a person and its own id', () => {
  expect(capturedSignals('browser-11.8-feedback')).toMatchObject([
    {
      kind: 'feedback',
      key: 'b4f70b73bc7a420094726aef845f5e3e',
      traceId: '0f31d819b4274dfe89847dba03e5fc2c',
      spanId: 'aea64cd21e17f217',
      eventId: null,
      name: 'It broke',
      level: 'info',
      fields: { message: 'It broke', contactName: 'Ann', contact: 'ann@example.com' },
    },
  ])
})

it('feedback refers to the event that it is about', () => {
  const feedback = { message: 'why?', associated_event_id: EVENT.toUpperCase() }
  expect(signalOf('feedback', { contexts: { feedback } })).toMatchObject({ key: null, eventId: EVENT, name: 'why?' })
})

it('feedback without a message is still a signal', () => {
  expect(signalOf('feedback', { contexts: 'none' }).name).toBe('(no message)')
})

it('a user report is feedback about its event', () => {
  expect(capturedSignals('browser-7.80-user-report')).toMatchObject([
    {
      kind: 'feedback',
      key: 'user_report/bdd25c30cd844604a9e3b089bddd689b',
      eventId: 'bdd25c30cd844604a9e3b089bddd689b',
      name: 'It broke',
      fields: { contactName: 'Ann', contact: 'ann@example.com' },
    },
  ])
})

it('a user report refers to the event of its envelope when it names none', () => {
  expect(signalOf('user_report', { comments: 'no' }, { event_id: EVENT })).toMatchObject({ eventId: EVENT })
  expect(problemOf('user_report', { comments: 'no' })).toMatch(/no event_id/)
})
