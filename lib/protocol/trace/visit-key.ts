import { isObject, type JsonObject, text } from '../json-value'
import type { SegmentSpan } from './segment'

/** Longer ids are cut. */
const LONGEST_ID = 100

/**
 * Finds the key of the page visit of one submission: a session id wins over the id of a replay. The page header is
 * stored apart and wins over both.
 */
export class VisitKey {
  #session: string | null = null
  #replay: string | null = null

  /** `session:ID`, `replay:ID`, or `null`. */
  get key(): string | null {
    if (this.#session !== null) return `session:${this.#session}`
    return this.#replay === null ? null : `replay:${this.#replay}`
  }

  /** `session.id` is an attribute of a span or of its resource (OpenTelemetry), `sentry.replay_id` of a streamed span. */
  readSpan({ attributes, otel }: Pick<SegmentSpan, 'attributes' | 'otel'>): void {
    this.#session ??= idOf(attributes['session.id']) ?? idOf(otel?.resource.attributes['session.id'])
    this.#replay ??= idOf(attributes['sentry.replay_id'])
  }

  readEvent({ tags, contexts }: { readonly tags: JsonObject; readonly contexts: JsonObject }): void {
    this.#session ??= idOf(tags['session.id'])
    this.#replay ??= idOf(tags.replayId) ?? idOf(isObject(contexts.replay) ? contexts.replay.replay_id : null)
  }

  /** The trace of an envelope header names the replay in which it began. */
  readHeader({ trace }: JsonObject): void {
    this.#replay ??= idOf(isObject(trace) ? trace.replay_id : null)
  }

  clear(): void {
    this.#session = null
    this.#replay = null
  }
}

const idOf = (value: unknown): string | null => {
  const id = text(value)
  return id === null || id === '' ? null : id.slice(0, LONGEST_ID)
}
