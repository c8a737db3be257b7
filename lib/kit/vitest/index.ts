import { expect } from 'vitest'
import { matchers, type WaystationMatchers } from '../matchers'

export type { Evidence } from '../../verdict/evidence/evidence'
export type { Trace } from '../../verdict/expectations/trace'
export { matchers, type WaystationMatchers } from '../matchers'
export type { Recording } from '../recording'
export { stampHeaders } from '../stamp-headers'
export type { WaitFor, WaitOptions } from '../waits'
export { WaitError } from '../waits'
export { type CollectorOptions, startCollector, type TestCollector } from './start-collector'

declare module 'vitest' {
  interface Matchers<T> extends WaystationMatchers<T> {}
}

// Importing this module adds the matchers.
expect.extend(matchers)
