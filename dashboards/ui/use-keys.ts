'use client'

import { useEffect, useEffectEvent } from 'react'

/** What a key does; `false` when it did nothing after all, and the browser should have it. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => boolean | undefined>>

/** Keys of the whole page, by `event.key`. Off while typing, while a dialog is open, and with modifiers held. */
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

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type)
}
