import type { LabAction } from '../entry'
import { failOnServer } from '../fail-on-server'
import { inOwnTrace } from '../own-trace'

export const serverActionError: LabAction = {
  kind: 'run',
  id: 'server-action-error',
  title: 'Server error in a server action',
  expect: 'The action’s POST, the server segment under it, and the server’s event.',
  run: async () => {
    const { traceId, value: digest } = await inOwnTrace('lab: server action error', async () => {
      try {
        await failOnServer()
        return null
      } catch (error) {
        return error instanceof Error && 'digest' in error ? String(error.digest) : null
      }
    })
    return { traceId, seen: [digest === null ? 'the action did not fail' : `the action failed, digest ${digest}`] }
  },
}
