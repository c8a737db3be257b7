'use client'

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { formatCount } from '../../lib/format'
import { lossReason } from '../../lib/wire/loss-text'
import { Glyph, type GlyphName } from '../ui/glyph'
import { signalsHref } from '../ui/links'
import { printable } from '../ui/printable'
import { endText, type Flow, type FlowExit, flowText, shareText } from './flow'
import styles from './flow-picture.module.css'
import { type FlowShape, shapeOf } from './flow-shape'
import { envelopesHref } from './lost-envelopes'

/** Reasons that stand below an exit; the others are counted. */
const SHOWN_REASONS = 2

interface FlowPictureProps {
  readonly flow: Flow
  readonly stamp: string | null
  /** Envelopes that were refused on arrival; `null` where they are not counted. */
  readonly refused: number | null
}

/** Made, sent, stored, accepted: a drawing of one data category, with its figures as text. */
export function FlowPicture({ flow, stamp, refused }: FlowPictureProps) {
  const [frame, width] = useWidth<HTMLElement>()
  const shape = shapeOf(flow, width)
  const { nodes, exits } = shape
  const stages = [
    [flow.made, 'made in your apps'],
    [flow.stored, `sent, ${shareText(flow.stored, flow.made)}`],
    [flow.stored, 'stored here'],
    [flow.accepted + flow.kept, endText(flow)],
  ] as const
  const [made, sent, stored, end] = stages.map(([quantity, name], index) => (
    <Label key={name} at={nodes[index]?.at ?? 0} what="stage" quantity={quantity} name={name} isEnd={index === 3} />
  ))
  const exitLabels = [...flow.before, ...flow.after].map((exit, index) => (
    <ExitLabel
      key={exit.amount}
      exit={exit}
      at={exits[index]?.at ?? 0}
      href={
        index < flow.before.length
          ? signalsHref('client_report', stamp === null ? {} : { stamp })
          : hrefOf(exit, flow.category, stamp)
      }
    />
  ))
  return (
    <figure ref={frame} className={styles.flow} data-flow={flow.category} data-direction={shape.direction}>
      <Drawing flow={flow} shape={shape} />
      <ol
        ref={(list) => list?.style.setProperty('--room', `${shape.room}px`)}
        className={styles.labels}
        aria-label={`Flow of ${printable(flow.category)}`}
      >
        {made}
        {exitLabels.slice(0, flow.before.length)}
        {sent}
        <Label at={shape.refusedAt} what="refused" quantity={refused} name="refused on arrival">
          <span>{refused === null ? 'they have no stamp' : 'envelopes of any category'}</span>
          {refused !== null && refused > 0 && <a href="#lost">reasons</a>}
        </Label>
        {stored}
        {exitLabels.slice(flow.before.length)}
        {end}
      </ol>
    </figure>
  )
}

function Drawing({ flow, shape }: { readonly flow: Flow; readonly shape: FlowShape }) {
  const hatch = useId()
  const { width, height, bands, nodes, exits } = shape
  const kinds = [...flow.before, ...flow.after].map(({ kind }) => kind)
  return (
    <svg role="img" aria-label={printable(flowText(flow))} width={width} height={height}>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className={styles.hatchGround} width="5" height="5" />
          <rect className={styles.hatchLine} width="1.8" height="5" />
        </pattern>
      </defs>
      {bands.map((band, index) => (
        <rect key={STEPS[index]} {...band} data-band={STEPS[index]} />
      ))}
      {exits.map(({ path, at }, index) => (
        <path
          key={at}
          d={path}
          data-exit={kinds[index]}
          {...(kinds[index] === 'pending' && { fill: `url(#${hatch})` })}
        />
      ))}
      {nodes.map(({ at: _, ...node }, index) => (
        <rect key={STAGES[index]} {...node} rx="1.5" data-node={STAGES[index]} />
      ))}
    </svg>
  )
}

const STAGES = ['made', 'sent', 'stored', 'end'] as const
const STEPS = ['sent', 'stored', 'end'] as const

interface LabelProps {
  /** Its position on the axis. */
  readonly at: number
  readonly what: 'stage' | 'refused' | 'exit'
  readonly quantity: number | null
  readonly name: ReactNode
  readonly kind?: FlowExit['kind']
  readonly glyph?: GlyphName
  readonly isEnd?: boolean
  readonly children?: ReactNode
}

function Label({ at, what, quantity, name, kind, glyph, isEnd = false, children }: LabelProps) {
  return (
    <li ref={(item) => item?.style.setProperty('--at', `${at}px`)} data-what={what} data-kind={kind} data-end={isEnd}>
      {glyph !== undefined && <Glyph name={glyph} />}{' '}
      <strong className="num">{quantity === null ? '–' : formatCount(quantity)}</strong> <span>{name}</span>
      {children}
    </li>
  )
}

interface ExitLabelProps {
  readonly exit: FlowExit
  readonly at: number
  readonly href: string | null
}

function ExitLabel({ exit, at, href }: ExitLabelProps) {
  const { kind, glyph, quantity, name, amount, reasons } = exit
  const more = reasons.length - SHOWN_REASONS
  const by = amount === 'discarded' || amount === 'notSent' ? 'sdk' : 'upstream'
  return (
    <Label {...{ at, kind, glyph, quantity }} what="exit" name={href === null ? name : <a href={href}>{name}</a>}>
      {reasons.slice(0, SHOWN_REASONS).map((one, index) => (
        <code key={one.reason} title={printable(lossReason({ by, reason: one.reason }))}>
          {formatCount(one.quantity)} {printable(one.reason)}
          {index === SHOWN_REASONS - 1 && more > 0 && ` and ${more} more`}
        </code>
      ))}
    </Label>
  )
}

/** The stored envelopes of an exit. Nothing is stored of what is unexplained. */
function hrefOf({ amount }: FlowExit, category: string, stamp: string | null): string | null {
  switch (amount) {
    case 'filtered':
    case 'rate_limited':
    case 'invalid':
    case 'overflow':
    case 'expired':
    case 'dropped':
    case 'pending':
      return envelopesHref(amount, category, stamp)
    default:
      return null
  }
}

/** The width of an element in px; 0 before it is shown. */
function useWidth<Measured extends HTMLElement>() {
  const element = useRef<Measured>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width] as const
}
