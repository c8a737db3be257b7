import { type EpochUs, usFromTimestamp } from '../time'
import { isObject, type JsonObject, listOf, text } from './json'

export interface Breadcrumb {
  readonly timestampUs: EpochUs | null
  readonly category: string | null
  readonly type: string | null
  readonly level: string | null
  readonly message: string | null
  readonly data: JsonObject | null
}

/** SDKs keep the last hundred. */
export const MOST_BREADCRUMBS = 1000

/** An event's trail, oldest first, as sent; of a longer one the last so many. */
export function parseBreadcrumbs(value: unknown): readonly Breadcrumb[] {
  return listOf(value)
    .slice(-MOST_BREADCRUMBS)
    .map((crumb) => ({
      timestampUs: usFromTimestamp(crumb.timestamp),
      category: text(crumb.category),
      type: text(crumb.type),
      level: text(crumb.level),
      message: text(crumb.message),
      data: isObject(crumb.data) ? crumb.data : null,
    }))
}
