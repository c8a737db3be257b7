'use client'

import { formatCount, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import { lossReason, refusalText } from '../../lib/wire/loss-text'
import type { Overview } from '../../lib/wire/overview'
import { categoryWord } from '../ui/category-word'
import { Glyph, type GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { formatLeft } from '../ui/times'
import { deadLettersOf, limitsInForce } from '../ui/upstream-text'
import styles from './not-arrived.module.css'
import { Part } from './side'

interface NotArrivedProps {
  readonly figures: Figures | null
  readonly overview: Overview | null
  readonly nowMs: number
}

const SHOWN_LOSSES = 4

/** Losses, pending items and refusals, in words. */
export function WhatDidNotArrive({ figures, overview, nowMs }: NotArrivedProps) {
  const lines = figures === null || overview === null ? [] : missingLines(figures, overview, nowMs)
  const refusals = overview?.refusals ?? []
  return (
    <Part id="missing" title="What did not arrive" link={{ href: '/losses', name: 'Losses' }}>
      {lines.length === 0 && refusals.length === 0 && (
        <p className="soft">
          {figures === null || overview === null
            ? 'Loading …'
            : overview.isShown
              ? 'Nothing was refused on arrival. Losses has the account of this run.'
              : 'Nothing was lost in the last 15 minutes, and nothing is pending.'}
        </p>
      )}
      {lines.length > 0 && (
        <ul className={styles.lines}>
          {lines.map(({ glyph, tone, count, text }) => (
            <li key={text}>
              <span className="toned" data-tone={tone}>
                <Glyph name={glyph} />
              </span>
              <b>{count}</b>
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      )}
      <Refusals refusals={refusals} />
    </Part>
  )
}

interface MissingLine {
  readonly glyph: GlyphName
  readonly tone: 'warn' | 'quiet'
  /** A quantity; empty for a limit. */
  readonly count: string
  readonly text: string
}

/** Losses of the last 15 minutes, then limits in force, then what is pending at present. */
export function missingLines(
  { navigation, line }: Pick<Figures, 'navigation' | 'line'>,
  { limits, upstreams, isShown, pages }: Pick<Overview, 'limits' | 'upstreams' | 'isShown' | 'pages'>,
  nowMs: number,
): readonly MissingLine[] {
  if (isShown) return []
  const { losses } = navigation
  const dead = deadLettersOf(upstreams)
  const more = losses.length - SHOWN_LOSSES
  return [
    ...losses.slice(0, SHOWN_LOSSES).map(
      ({ category, reason, by, quantity }): MissingLine => ({
        glyph: by === 'sdk' ? 'lost' : by === 'person' ? 'dropped' : 'rate_limited',
        tone: by === 'person' ? 'quiet' : 'warn',
        count: formatCount(quantity),
        text: `${categoryWord(category, quantity)}: ${printable(lossReason({ by, reason }))}`,
      }),
    ),
    ...(more > 0
      ? [{ glyph: 'lost', tone: 'warn', count: '…', text: `and ${plural(more, 'further reason')}` } as const]
      : []),
    ...limitsInForce(limits, nowMs).map(({ category, until, reason }): MissingLine => {
      const why = reason === null ? '' : ` (${printable(reason.replaceAll('_', ' '))})`
      return {
        glyph: 'rate_limited',
        tone: 'warn',
        count: '',
        text: `${printable(category)} is limited for another ${formatLeft(until, nowMs) ?? '0 s'}${why}`,
      }
    }),
    ...blockedLine(pages),
    ...(line.pending > 0
      ? [
          {
            glyph: 'pending',
            tone: 'quiet',
            count: formatCount(line.pending),
            text: `${line.pending === 1 ? 'item is' : 'items are'} pending${dead === 0 ? '' : `, those of ${plural(dead, 'dead letter')} included`}`,
          } as const,
        ]
      : []),
  ]
}

/** Fewer documents say too little: a page may still be about to post. */
const LEAST_DOCUMENTS = 20

/** Documents whose page never posted. It bounds those whose requests were blocked: others have no scripts, or consent. */
function blockedLine({ documents, posted }: Overview['pages']): readonly MissingLine[] {
  const silent = documents - posted
  if (documents < LEAST_DOCUMENTS || silent <= 0) return []
  const share = Math.round((100 * silent) / documents)
  return [
    {
      glyph: 'lost',
      tone: 'quiet',
      count: formatCount(silent),
      text: `of ${formatCount(documents)} pages (${share} %) sent nothing: at most as many were blocked`,
    },
  ]
}

function Refusals({ refusals }: { readonly refusals: Overview['refusals'] }) {
  if (refusals.length === 0) return null
  return (
    <ul className={styles.refusals} aria-label="Refused, by reason">
      {refusals.map(({ reason, envelopes, paths = [] }) => (
        <li key={reason} data-refusal={reason}>
          <span className={styles.count}>{formatCount(envelopes)} refused</span>
          <span>
            {printable(refusalText(reason))}
            {paths.map(({ path, envelopes: sent }) => (
              <span key={path} className={styles.path} data-refused-path={path}>
                <code>{path === 'other' ? 'other addresses' : printable(path)}</code> {formatCount(sent)}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}
