import { expect, it } from 'vitest'
import { createStatus } from '../../../collector/api/overview'
import { ROLES, type Role } from '../../../lib/protocol/roles'
import { type Status, statusSchema } from '../../../lib/wire/overview'
import type { RecordedRun } from '../../../lib/wire/run'
import type { Storage } from '../../../lib/wire/storage'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { STORE } from '../cli/sample-store'

const DSN = 'http://local@127.0.0.1:8969/1'
const RUN: RecordedRun = {
  ...{ command: 'npm test', name: 'checkout e2e', commit: null, startedAt: 0, endedAt: 1 },
  ...{ exit: { code: 0, signal: null }, verdict: null, reasons: [], passed: 0, checks: [] },
}

const readStatus = (
  isShown: boolean,
  run: RecordedRun | null,
  { roles = ROLES, storage = EMPTY_STORAGE }: { readonly roles?: readonly Role[]; readonly storage?: Storage } = {},
): Promise<Status> =>
  createStatus({
    ...{ isShown, run, shown: null, holdErrors: false, roles, localDsn: () => DSN, now: () => 0, script: () => null },
    record: { storage: async () => ({ status: storage, copies: 0, notReady: [] }) },
    relay: { states: async () => [], stranded: async () => [] },
    activeLimits: async () => [],
  })()

it('the status has the local DSN, or the name of the run that is shown and receives nothing', async () => {
  const statusOf = async (isShown: boolean, run: RecordedRun | null) => {
    const { localDsn, ...status } = await readStatus(isShown, run)
    return [localDsn, status.run]
  }
  expect(await statusOf(false, RUN)).toEqual([DSN, null])
  expect(await statusOf(true, RUN)).toEqual([null, 'checkout e2e'])
  expect(await statusOf(true, { ...RUN, name: null })).toEqual([null, 'npm test'])
  expect(await statusOf(true, null)).toEqual([null, null])
})

it('the status names the roles of a collector that has not all, and its DSN only where it takes envelopes', async () => {
  expect(await readStatus(false, null)).not.toHaveProperty('roles')
  expect(await readStatus(false, null, { roles: ['intake', 'relay'] })).toMatchObject({
    roles: ['intake', 'relay'],
    localDsn: DSN,
  })
  expect(await readStatus(false, null, { roles: ['query'] })).toMatchObject({ roles: ['query'], localDsn: null })
})

it('the status has the shared record without its sizes, and nothing of it where there is none', async () => {
  const { store } = statusSchema.parse(await readStatus(false, null, { storage: { ...EMPTY_STORAGE, store: STORE } }))
  const { place, away, mirror, lanes } = STORE
  expect(store).toEqual({ place, away, mirror, lanes })
  expect(await readStatus(false, null)).not.toHaveProperty('store')
})
