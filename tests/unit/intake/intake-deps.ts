import { expect } from 'vitest'
import type { IntakeDeps } from '../../../collector/intake/receive'
import { RateLimits } from '../../../collector/relay/running-limits'
import { readEnvironment } from '../../../lib/config/environment'
import { succeed } from '../../../lib/protocol/result'
import type { Submission } from '../../../lib/protocol/submission'

/** The dependencies of intake, for requests with this body. */
export function intakeDeps(variables: Readonly<Record<string, string>>, bytes: Uint8Array) {
  const environment = readEnvironment(variables)
  if (!environment.ok) return expect.fail('the settings cannot be read')
  const appended: Submission[] = []
  const refused: { readonly reason: string; readonly wireBytes: number }[] = []
  const deps: IntakeDeps = {
    environment: environment.value,
    spool: {
      append: async (submission) => {
        appended.push(submission)
        return { seq: 1, journal: 1 }
      },
      addUnseenAnswer: async () => undefined,
      countPages: async () => undefined,
      countRefusal: async (reason, wireBytes) => {
        refused.push({ reason, wireBytes })
      },
    },
    rateLimits: new RateLimits([], { now: () => 0, monotonic: () => 0 }),
    readBody: async () => succeed({ bytes, wireBytes: bytes.length, release: () => undefined }),
    scrubStored: null,
    initialStatus: () => 'pending',
    now: () => 0,
    logOtlpRefusal: () => undefined,
    report: () => undefined,
    uptime: () => ({ boot: 'now', uptimeMs: 0 }),
    newReceipt: () => '00000000-0000-7000-8000-000000000000',
  }
  return { deps, appended, refused }
}
