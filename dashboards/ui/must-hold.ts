import type { RefObject } from 'react'

/** New rows wait while the reader has scrolled into a list, or has the focus in it. */
export const mustHold = (container: RefObject<HTMLElement | null>) => (): boolean =>
  window.scrollY > 8 || (container.current?.contains(document.activeElement) ?? false)
