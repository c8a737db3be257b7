'use client'

import { useMemo } from 'react'
import { formatCount, formatDurationUs, plural } from '../../../lib/format'
import {
  type ServiceEdge,
  type ServiceMap,
  type ServiceNode,
  serviceMap,
} from '../../../lib/protocol/trace/service-map'
import { printable } from '../../ui/printable'
import { type Column, FigureTable } from './figure-table'
import styles from './map-view.module.css'
import type { ViewProps } from './other-view'
import { BOX, MOST_SERVICES, serviceLayout } from './service-layout'
import { colour, EmptyView, properties, treeWithin, ViewFrame } from './view-frame'

const CALLS: readonly Column<ServiceEdge>[] = [
  { kind: 'service', label: 'From', value: ({ from }) => from },
  { kind: 'service', label: 'To', value: ({ to }) => to },
  { kind: 'count', label: 'Calls', value: ({ count }) => count },
  { kind: 'errors', label: 'Failed', value: ({ errors }) => errors },
  { kind: 'time', label: 'p95', value: ({ p95Us }) => p95Us },
  { kind: 'share', label: 'Total', value: ({ totalUs }) => totalUs },
]
const SERVICES: readonly Column<ServiceNode>[] = [
  { kind: 'service', label: 'Service', value: ({ service }) => service },
  { kind: 'count', label: 'Spans', value: ({ count }) => count },
  { kind: 'errors', label: 'Failed', value: ({ errors }) => errors },
  { kind: 'share', label: 'Self', value: ({ selfUs }) => selfUs },
]

const edgeKey = ({ from, to }: ServiceEdge): string => `${from}\n${to}`

/** The services of a trace and the calls between them: a drawing, and the same figures as tables. */
export function MapView({ analysis, within, onSelect }: ViewProps) {
  const { tree, selfUs } = analysis
  const map = useMemo(() => serviceMap(treeWithin(tree, within), selfUs()), [tree, within, selfUs])
  const { services, edges } = map
  const notDrawn = services.length - MOST_SERVICES
  if (services.length === 0) {
    return (
      <ViewFrame bar="0 services">
        <EmptyView>No spans yet. The map shows each service of the trace, and which one calls which.</EmptyView>
      </ViewFrame>
    )
  }
  return (
    <ViewFrame
      bar={
        <>
          {plural(services.length, 'service')}. A call is a span directly below a span of another service; the width of
          a line is the time of its calls.
          {notDrawn > 0 && ` ${plural(notDrawn, 'service')} not drawn, see the tables.`}
        </>
      }
    >
      <Drawing map={map} />
      <div className={styles.tables}>
        {edges.length === 0 ? (
          <p className="small soft">
            No service calls another one in this trace. Calls appear when a request passes on its trace headers (
            <code>sentry-trace</code>, <code>traceparent</code>).
          </p>
        ) : (
          <FigureTable
            label="Calls between services"
            rows={edges}
            columns={CALLS}
            header={0}
            first={{ by: CALLS.length - 1, isAscending: false }}
            keyOf={edgeKey}
            onOpen={({ slowestId }) => onSelect(slowestId)}
            title="Show the slowest call"
          />
        )}
        <FigureTable
          label="Services"
          rows={services}
          columns={SERVICES}
          header={0}
          first={{ by: SERVICES.length - 1, isAscending: false }}
          keyOf={({ service }) => service}
          onOpen={({ slowestId }) => onSelect(slowestId)}
          title="Show the slowest span"
        />
      </div>
    </ViewFrame>
  )
}

const spansText = (count: number, errors: number): string =>
  `${plural(count, 'span')}${errors === 0 ? '' : `, ${formatCount(errors)} failed`}`

const edgeText = ({ errors, p95Us }: ServiceEdge): string =>
  `${errors === 0 ? '' : `${formatCount(errors)} failed, `}p95 ${formatDurationUs(p95Us)}`

/** Longer names are cut; the title and the tables have all of it. */
const MOST_CHARACTERS = 20

const shortName = (name: string): string =>
  name.length <= MOST_CHARACTERS ? name : `${name.slice(0, MOST_CHARACTERS - 1)}…`

function Drawing({ map }: { readonly map: ServiceMap }) {
  const { services, edges, width, height } = useMemo(() => serviceLayout(map), [map])
  return (
    <div className={styles.drawing}>
      <svg
        className={styles.map}
        width={width}
        height={height}
        role="img"
        aria-label="Map, the tables below describe it"
      >
        {edges.map(({ edge, path, width: stroke }) => (
          <path key={edgeKey(edge)} d={path} strokeWidth={stroke} data-failed={edge.errors > 0} />
        ))}
        {edges.map(({ edge, labelX, labelY }) => (
          <g key={edgeKey(edge)} className={styles.label} transform={`translate(${labelX} ${labelY})`}>
            <rect x="-62" y="-18" width="124" height="36" rx="3" />
            <text y="-3">{plural(edge.count, 'call')}</text>
            <text y="13" className={styles.small} data-failed={edge.errors > 0}>
              {edgeText(edge)}
            </text>
          </g>
        ))}
        {services.map(({ node, x, y }) => (
          <g key={node.service} className={styles.service} transform={`translate(${x} ${y})`}>
            <title>{printable(node.service)}</title>
            <rect {...BOX} rx="5" data-failed={node.errors > 0} />
            <rect width="5" height={BOX.height} rx="2.5" data-service style={properties(colour(node.service))} />
            <text x="16" y="23" className={styles.name}>
              {shortName(printable(node.service))}
            </text>
            <text x="16" y="42" className={styles.small} data-failed={node.errors > 0}>
              {spansText(node.count, node.errors)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}
