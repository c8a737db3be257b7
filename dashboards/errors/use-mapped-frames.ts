import type { MappedFrames } from '../../lib/wire/mapped-frames'
import { client, type Failure } from '../ui/client'
import { printable } from '../ui/printable'
import { useAnswer } from '../ui/use-answer'

export interface MappingRead {
  readonly frames: MappedFrames | null
  /** Whether the collector has answered. */
  readonly done: boolean
  readonly failure: Failure | null
}

/** Maps the frames of an event once; neither its frames nor the answer of the collector change while the page is open. */
export function useMappedFrames(eventId: string): MappingRead {
  const { answer, failure } = useAnswer(eventId, (signal) => client.mappedFrames(eventId, signal))
  return { frames: answer ?? null, done: answer !== undefined || failure !== null, failure }
}

/** The result of mapping as a sentence; it is always stated. */
export function mappingText({ frames, done, failure }: MappingRead): string {
  if (failure !== null) return `source maps not read: ${failureText(failure)}`
  if (!done) return 'reading source maps …'
  return frames === null ? 'source maps not read: the event is gone' : printable(frames.summary)
}

export const failureText = (failure: Failure): string =>
  failure.kind === 'unreachable' ? 'the collector is unreachable' : printable(failure.detail)
