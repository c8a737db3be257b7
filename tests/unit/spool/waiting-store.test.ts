import { describe, expect, it } from 'vitest'
import { UnfitStoreError } from '../../../collector/spool-postgres/migrate'
import { connectionError, StoreAwayError } from '../../../collector/spool-postgres/store-away'
import { WaitingStore } from '../../../collector/spool-postgres/waiting-store'

/** Opens after these errors, and notes the pauses between its tries. */
function waitingFor(...errors: Error[]) {
  const pauses: number[] = []
  const lines: string[] = []
  let goOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const store = new WaitingStore({
    open: async () => {
      const error = errors.shift()
      if (error !== undefined) throw error
      return 'store'
    },
    wait: async (ms) => {
      pauses.push(ms)
      await held
    },
    log: (line) => void lines.push(line),
  })
  return { store, pauses, lines, goOn }
}

const away = (): Error => new StoreAwayError('db:5432/waystation', 'connect ECONNREFUSED')
const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code })

describe('a store that is away', () => {
  it('is tried again after 50 ms, and then up to every 2 s', async () => {
    const { store, pauses, lines, goOn } = waitingFor(...Array.from({ length: 8 }, away))
    expect(await store.firstTry).toBe(false)
    await expect(store.current()).rejects.toThrow('PostgreSQL at db:5432/waystation is away: connect ECONNREFUSED')
    expect(store.isOpen).toBe(false)
    goOn()
    expect(await store.opened).toBe('store')
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000])
    expect(await store.current()).toBe('store')
    expect(lines).toEqual([
      'PostgreSQL at db:5432/waystation is away: connect ECONNREFUSED; envelopes are refused with 503 until it answers',
      'PostgreSQL answers: envelopes are stored',
    ])
  })

  it('is open at once where PostgreSQL answers', async () => {
    const { store, pauses, lines } = waitingFor()
    expect(await store.current()).toBe('store')
    expect(await store.firstTry).toBe(true)
    expect([pauses, lines]).toEqual([[], []])
  })

  it('is away, too, while another collector migrates it for long', async () => {
    const { store } = waitingFor(withCode('55P03', 'canceling statement due to lock timeout'))
    expect(await store.firstTry).toBe(false)
    await expect(store.current()).rejects.toThrow('canceling statement due to lock timeout')
  })

  it.each([
    [new UnfitStoreError('it has fsync=off'), 'it has fsync=off'],
    [
      connectionError('db/waystation', withCode('28P01', 'password authentication failed for user "me"')),
      'PostgreSQL at db/waystation refuses the connection: password authentication failed for user "me"; check WAYSTATION_STORE',
    ],
  ])('ends with what waiting does not mend, also later: %s', async (error, message) => {
    await expect(waitingFor(error).store.opened).rejects.toThrow(message)
    const { store, goOn } = waitingFor(away(), error)
    await store.firstTry
    goOn()
    await expect(store.opened).rejects.toThrow(message)
  })
})

describe('a connection that fails', () => {
  it.each([
    ['ECONNREFUSED', ''],
    ['ECONNRESET', 'read ECONNRESET'],
    ['ETIMEDOUT', 'connect ETIMEDOUT'],
    ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND db'],
    ['ENOENT', 'connect ENOENT /run/.s.PGSQL.5432'],
    ['57P03', 'the database system is starting up'],
    ['53300', 'sorry, too many clients already'],
    [null, 'Connection terminated due to connection timeout'],
    [null, 'Connection terminated unexpectedly'],
  ])('may be back after %s', (code, message) => {
    const error = connectionError('db', code === null ? new Error(message) : withCode(code, message))
    expect(error.isPassing).toBe(true)
    expect(error.message).toBe(`PostgreSQL at db is away: ${message === '' ? code : message}`)
  })

  it.each([
    ['28P01', 'password authentication failed for user "me"'],
    ['28000', 'no pg_hba.conf entry for host'],
    ['3D000', 'database "waystation" does not exist'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames"],
    [null, 'The server does not support SSL connections'],
  ])('is refused by %s', (code, message) => {
    const error = connectionError('db', code === null ? new Error(message) : withCode(code, message))
    expect(error.isPassing).toBe(false)
    expect(error.message).toBe(`PostgreSQL at db refuses the connection: ${message}`)
  })
})
