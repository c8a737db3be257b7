export type ItemType = 'log' | 'trace_metric'

/** The telemetry that an action caused, as far as its page knows it. */
export interface Caused {
  readonly traceId: string
  /** The event of an error that this page reported; events of the server are found through the trace. */
  readonly eventId?: string
  /** The type of an item that arrives in addition to the trace. */
  readonly item?: ItemType
  readonly observed?: readonly string[]
}

interface Described {
  /** Stable, because `lab-${id}` is the test id. */
  readonly id: string
  readonly title: string
  readonly expect: string
}

export interface LabAction extends Described {
  readonly kind: 'run'
  readonly run: () => Promise<Caused>
}

/** Makes the lab fail to render; the error fallback replaces it. */
export interface LabRenderError extends Described {
  readonly kind: 'render'
}

/** A link to another page: a navigation inside the app (`next/link`), or a new document. */
export interface LabPlace extends Described {
  readonly kind: 'visit'
  readonly href: string
  readonly document: boolean
}

type LabEntry = LabAction | LabRenderError | LabPlace

export interface LabGroup {
  readonly title: string
  readonly entries: readonly LabEntry[]
}
