/** What an operator may want to know; nothing of it reaches the sender but the answer. */
export type TunnelEvent =
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'down'; readonly cause: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'kept'; readonly receipt: string; readonly byteLength: number; readonly cause: string }
  | { readonly kind: 'lost'; readonly receipt: string; readonly byteLength: number; readonly causes: readonly string[] }
  | { readonly kind: 'delivered'; readonly receipt: string; readonly status: number }
  | { readonly kind: 'set-aside'; readonly file: string; readonly status: number }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  | { readonly kind: 'lifeboat'; readonly reason: string }
  | { readonly kind: 'bug'; readonly error: unknown }

export type Report = (event: TunnelEvent) => void

/**
 * Used when no `report` is given. It speaks of what changes, not of each envelope: where console errors are themselves
 * captured and sent, a line per lost envelope would make the next one.
 */
export function reportToConsole(event: TunnelEvent): void {
  if (event.kind === 'down') console.error(`[tunnel] the collector cannot be reached: ${event.cause}`)
  if (event.kind === 'set-aside')
    console.error(
      `[tunnel] the collector answered ${event.status} to what waited in ${event.file}: set aside as .refused, and tried again at the next start`,
    )
  if (event.kind === 'unreadable') console.error(`[tunnel] set ${event.file} aside: ${event.reason}`)
  if (event.kind === 'bug') console.error('[tunnel] failed on its own:', event.error)
}

/** A report that throws is somebody's bug, but never the app's error. */
export function safely(report: Report): Report {
  return (event) => {
    try {
      report(event)
    } catch (error) {
      console.error('[tunnel] its report function threw:', error)
    }
  }
}
