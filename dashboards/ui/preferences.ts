'use client'

import { useCallback, useSyncExternalStore } from 'react'

/** A choice of the reader about the boards, kept in this browser alone. */
type Preference = 'theme' | 'density' | 'fold' | 'editor' | 'editor-paths' | 'views'

const listeners = new Set<() => void>()
const nameOf = (preference: Preference): string => `waystation.${preference}`

/** `null` where nothing was chosen, or the browser keeps nothing. */
function read(preference: Preference): string | null {
  try {
    return window.localStorage.getItem(nameOf(preference))
  } catch {
    // Storage may be forbidden; the boards work without it.
    return null
  }
}

function write(preference: Preference, value: string | null): void {
  try {
    if (value === null) window.localStorage.removeItem(nameOf(preference))
    else window.localStorage.setItem(nameOf(preference), value)
  } catch {
    // The choice then holds for this page alone.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}

const ATTRIBUTES = { theme: ['light', 'dark'], density: ['wide'] } as const

/** Puts theme and density on the document. Called before the first drawing, so that no page changes its colours. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement
  for (const [preference, values] of Object.entries(ATTRIBUTES)) {
    const chosen = values.find((value) => value === read(preference as keyof typeof ATTRIBUTES))
    if (chosen === undefined) delete dataset[preference]
    else dataset[preference] = chosen
  }
}

function follow(changed: () => void): () => void {
  listeners.add(changed)
  window.addEventListener('storage', changed)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('storage', changed)
  }
}

/** One preference as state; `null` on the server and where nothing was chosen. */
export function usePreference(preference: Preference): readonly [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(
    follow,
    () => read(preference),
    () => null,
  )
  return [value, useCallback((next: string | null) => write(preference, next), [preference])]
}

/** Changes from light to dark or back, whatever the system prefers. */
export function toggleTheme(): void {
  const isDark =
    (read('theme') ?? (window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  write('theme', isDark ? 'light' : 'dark')
}

export const toggleDensity = (): void => write('density', read('density') === 'wide' ? null : 'wide')
