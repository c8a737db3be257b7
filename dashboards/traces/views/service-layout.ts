import type { ServiceEdge, ServiceMap, ServiceNode } from '../../../lib/protocol/trace/service-map'

/** Services that are drawn; the tables below the drawing have all. */
export const MOST_SERVICES = 40

/** Sizes in px: the drawing is not scaled, so that its text stays readable. */
export const BOX = { width: 168, height: 56 }
const GAP = { x: 168, y: 48 }
const MARGIN = 16
const LABEL = { width: 132, height: 38 }

export interface PlacedService {
  readonly node: ServiceNode
  readonly x: number
  readonly y: number
}

export interface PlacedEdge {
  readonly edge: ServiceEdge
  /** An SVG path from caller to called service. */
  readonly path: string
  /** The centre of the label. */
  readonly labelX: number
  readonly labelY: number
  readonly width: number
}

export interface ServiceLayout {
  readonly services: readonly PlacedService[]
  readonly edges: readonly PlacedEdge[]
  readonly width: number
  readonly height: number
}

/**
 * Places services in columns by their distance from the services that nobody calls. If every service is called, the first
 * one begins. Within a column they are in order of their first span.
 */
export function serviceLayout({ services, edges }: ServiceMap): ServiceLayout {
  const shown = services.slice(0, MOST_SERVICES)
  const columnOf = distances(shown, edges)
  const columns: ServiceNode[][] = []
  for (const node of shown) {
    const column = columnOf.get(node.service) ?? 0
    while (columns.length <= column) columns.push([])
    columns[column]?.push(node)
  }
  const heightOf = (count: number): number => count * (BOX.height + GAP.y) - GAP.y
  const height = heightOf(Math.max(1, ...columns.map((column) => column.length))) + 2 * MARGIN
  const placed = new Map<string, PlacedService>()
  for (const [at, column] of columns.entries()) {
    const top = (height - heightOf(column.length)) / 2
    for (const [row, node] of column.entries()) {
      const [x, y] = [MARGIN + at * (BOX.width + GAP.x), top + row * (BOX.height + GAP.y)]
      placed.set(node.service, { node, x, y })
    }
  }
  const width = columns.length * (BOX.width + GAP.x) - GAP.x + 2 * MARGIN
  return { services: [...placed.values()], edges: placeEdges(edges, placed), width, height }
}

function distances(services: readonly ServiceNode[], edges: readonly ServiceEdge[]): ReadonlyMap<string, number> {
  const called = new Set(edges.map(({ to }) => to))
  const found = new Map<string, number>()
  // A service that only a cycle reaches begins a search of its own.
  const starts = [...services.filter(({ service }) => !called.has(service)), ...services]
  for (const { service: start } of starts) {
    if (found.has(start)) continue
    found.set(start, 0)
    const open = [start]
    for (const from of open)
      for (const edge of edges) {
        if (edge.from !== from || found.has(edge.to)) continue
        found.set(edge.to, (found.get(from) ?? 0) + 1)
        open.push(edge.to)
      }
  }
  return found
}

const WIDEST = 6

function placeEdges(edges: readonly ServiceEdge[], placed: ReadonlyMap<string, PlacedService>): readonly PlacedEdge[] {
  const longestUs = Math.max(1, ...edges.map(({ totalUs }) => totalUs))
  const drawn: PlacedEdge[] = []
  for (const edge of edges) {
    const [from, to] = [placed.get(edge.from), placed.get(edge.to)]
    if (from === undefined || to === undefined) continue
    const isForward = to.x > from.x
    const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2 - (isForward ? 0 : 12)]
    const [x2, y2] = [isForward ? to.x : to.x + BOX.width, to.y + BOX.height / 2 + (isForward ? 0 : 12)]
    const bend = isForward ? (x2 - x1) / 2 : GAP.x / 2
    const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${isForward ? x2 - bend : x2 + bend} ${y2} ${x2} ${y2}`
    const labelX = (x1 + x2) / 2 + (isForward ? 0 : (bend * 3) / 4)
    const width = 1 + (WIDEST - 1) * (edge.totalUs / longestUs)
    drawn.push({ edge, path, labelX, labelY: freeY(drawn, labelX, (y1 + y2) / 2), width })
  }
  return drawn
}

/** The next height at which a label touches no earlier one. */
function freeY(drawn: readonly PlacedEdge[], x: number, y: number): number {
  const touched = drawn.find(
    ({ labelX, labelY }) => Math.abs(labelX - x) < LABEL.width && Math.abs(labelY - y) < LABEL.height,
  )
  return touched === undefined ? y : freeY(drawn, x, touched.labelY + LABEL.height)
}
