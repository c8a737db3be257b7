import type { SeenEvent } from '../../verdict/evidence/evidence'
import type { Trace } from '../../verdict/expectations/trace'
import type { Recording } from '../recording'

/** A recording, or something that holds one. */
export type WithRecording = Recording | { readonly recording: Recording }

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

export const isTrace = (received: unknown): received is Trace =>
  isFields(received) &&
  typeof received.traceId === 'string' &&
  Array.isArray(received.spans) &&
  Array.isArray(received.roots)

export const isEvent = (received: unknown): received is SeenEvent =>
  isFields(received) && typeof received.eventId === 'string' && Array.isArray(received.breadcrumbs)

// By what it can do, not by its class: each entry of the package has its own copy of this code.
const isRecording = (received: unknown): received is Recording =>
  isFields(received) && typeof received.settle === 'function' && typeof received.evidence === 'function'

/** @throws TypeError where it is none, with what it is */
export function recordingOf(matcher: string, received: unknown, meant = 'a recording (telemetry)'): Recording {
  if (isRecording(received)) return received
  if (isFields(received) && isRecording(received.recording)) return received.recording
  throw new TypeError(`${matcher}: expect() was given ${described(received)}, and is meant to be given ${meant}`)
}

function described(received: unknown): string {
  if (isFields(received) && typeof received.then === 'function') return 'a promise (await it first)'
  if (received === null || received === undefined) return String(received)
  if (Array.isArray(received)) return 'a list'
  return typeof received === 'object' ? 'an object of another kind' : `a ${typeof received}`
}
