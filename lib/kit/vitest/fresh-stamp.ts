import { randomBytes } from 'node:crypto'

/** A stamp that nobody else has. */
export const freshStamp = (): string => `test-${randomBytes(8).toString('hex')}`
