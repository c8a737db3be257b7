/** Items that no trace holds. */
export type ItemType = 'log' | 'trace_metric'

/** What an action caused, as far as the page that caused it can know. */
export interface Caused {
  readonly traceId: string
  /** Of an error this page reported; a server's own is found through the trace. */
  readonly eventId?: string
  /** It arrives as an item of this type, beside the trace. */
  readonly item?: ItemType
  /** What was seen on the way, one fact a line. */
  readonly seen?: readonly string[]
}

interface Described {
  /** Stable: `lab-${id}` is its test id. */
  readonly id: string
  readonly title: string
  /** What is to be found in the trace. */
  readonly expect: string
}

/** Something this page does when asked. */
export interface LabAction extends Described {
  readonly kind: 'run'
  readonly run: () => Promise<Caused>
}

/** The lab itself fails to render, and the fallback stands in for it. */
export interface LabRenderError extends Described {
  readonly kind: 'render'
}

/** Another page: inside the app (`next/link`), or a new document. */
export interface LabPlace extends Described {
  readonly kind: 'visit'
  readonly href: string
  readonly document: boolean
}

export type LabEntry = LabAction | LabRenderError | LabPlace

export interface LabGroup {
  readonly title: string
  readonly entries: readonly LabEntry[]
}
