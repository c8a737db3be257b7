/** A drawn span: `name < parent  |----|  @service`. A column is a millisecond; the bars mark start and end. */
export interface DrawnSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly service: string
  /** Always `null`. */
  readonly op: string | null
  readonly startUs: number
  readonly endUs: number
}

const LINE = /^\s*([\w.]+)(?:\s*<\s*([\w.]+))?\s*(\|(?:-*\|)?)\s*(?:@(\w+))?\s*$/

/** Parses a drawing into spans, in its order. A lone `|` is a span without duration; the default service is the browser. */
export function draw(drawing: string): readonly DrawnSpan[] {
  return drawing
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, spanId, parentSpanId = null, bar, service = 'browser'] = LINE.exec(line) ?? []
      if (spanId === undefined || bar === undefined) throw new TypeError(`not a drawn span: ${line}`)
      const start = line.indexOf('|')
      return { spanId, parentSpanId, service, op: null, startUs: start * 1000, endUs: (start + bar.length - 1) * 1000 }
    })
}

interface Node {
  readonly span: { readonly spanId: string }
  readonly children: readonly Node[]
  readonly depth: number
  readonly orphan: boolean
  readonly skewed: boolean
}

/** Writes trees as an outline, one line per span. */
export function outline(roots: readonly Node[]): string {
  return roots.map((root) => `${linesOf(root).join('\n')}\n`).join('')
}

function linesOf(node: Node): readonly string[] {
  const marks = `${node.orphan ? ' (orphan)' : ''}${node.skewed ? ' (skewed)' : ''}`
  return [`${'  '.repeat(node.depth)}${node.span.spanId}${marks}`, ...node.children.flatMap(linesOf)]
}
