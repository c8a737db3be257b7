'use client'

import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

export interface KeyHelp {
  readonly keys: readonly string[]
  readonly does: string
}

const NO_KEYS: readonly KeyHelp[] = []
let shown = NO_KEYS
const listeners = new Set<() => void>()

function show(help: readonly KeyHelp[]): void {
  shown = help
  for (const listener of listeners) listener()
}

function follow(changed: () => void): () => void {
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
  }
}

/** Adds the keys of a board to the help that `?` shows, while the board is mounted. Keep the same array. */
export function useKeyHelp(help: readonly KeyHelp[]): void {
  useEffect(() => {
    show(help)
    return () => show(NO_KEYS)
  }, [help])
}

/** The keys of the mounted board. */
export const useBoardKeys = (): readonly KeyHelp[] =>
  useSyncExternalStore(
    follow,
    () => shown,
    () => NO_KEYS,
  )

/** Actions by key. An action returns `false` to leave the key to the browser. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => boolean | undefined>>

/** Page-wide keys, by `event.key`. Inactive while typing, in dialogs and with modifiers. */
export function useKeys(keys: KeyMap): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return
    const act = keys[event.key]
    if (act !== undefined && act(event) !== false) event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

/** Whether keys belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  // A menu finds its entries by their first letters.
  if (target.closest('[role="menu"]') !== null) return true
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
}
