import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Envelope, parseEnvelope } from '../../../lib/protocol/envelope'
import { valueIn } from '../value-in'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

/** Names of the captured envelopes, such as `envelopes/node-8-error`. */
export const capturedNames = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.envelope'))
  .map((path) => path.replaceAll('\\', '/').slice(0, -'.envelope'.length))
  .sort()

/** Reads a captured body, byte for byte. */
export const capturedBytes = (name: string): Buffer => readFileSync(join(FIXTURES, `${name}.envelope`))

/** Reads a captured body as an envelope. */
export const capturedEnvelope = (name: string): Envelope => valueIn(parseEnvelope(capturedBytes(name)))

/** Returns the payload of the first item of a type in a captured envelope. */
export function capturedPayload(name: string, type: string): Uint8Array {
  const item = capturedEnvelope(name).items.find((one) => one.header.type === type)
  if (item === undefined) throw new Error(`${name} has no ${type}`)
  return item.payload
}
