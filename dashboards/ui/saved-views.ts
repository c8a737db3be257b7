import { isObject } from '../../lib/protocol/json-value'

/** A page with its query, saved by name. */
export interface SavedView {
  readonly name: string
  readonly path: string
  readonly search: string
}

export const VIEW_NAME_LENGTH = 60
/** Views of all pages together; the oldest are dropped. */
export const MAX_VIEWS = 50

/** Reads what this browser keeps; anything else than views is ignored. */
export function parseViews(text: string | null): readonly SavedView[] {
  if (text === null) return []
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? read.filter(isView) : []
  } catch {
    // Another program wrote it.
    return []
  }
}

const isView = (value: unknown): value is SavedView =>
  isObject(value) && [value.name, value.path, value.search].every((part) => typeof part === 'string')

export const viewsOf = (views: readonly SavedView[], path: string): readonly SavedView[] =>
  views.filter((view) => view.path === path)

/** Adds a view, in place of one with the same name. */
export const addView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...removeView(views, view), view].slice(-MAX_VIEWS)

export const removeView = (views: readonly SavedView[], { name, path }: SavedView): readonly SavedView[] =>
  views.filter((view) => view.name !== name || view.path !== path)
