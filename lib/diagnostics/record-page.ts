import { type Html, type HtmlValue, html } from '../document/html'
import { formatBytes } from '../format'
import { isObject, jsonOr } from '../protocol/json-value'
import type { Delivery, Removed } from '../wire/delivery'
import { lossReason } from '../wire/loss-text'
import type { VisitorDetail } from '../wire/visitor'
import { kindText, statusText, TEXTS } from './texts'

/** A time in UTC: without a script, the page does not know the visitor's time zone. @param ms since the epoch */
export function timeText(ms: number): Html {
  const iso = new Date(ms).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`
}

/** One record in full, with the previous and the next one. @param path of the page */
export function recordPage({ record, newer, older }: VisitorDetail, path: string): Html {
  const link = (seq: number | null, text: string): HtmlValue =>
    seq !== null && html`<a href="${path}?record=${seq}">${text}</a>`
  return html`<h1>${TEXTS.record} ${record.seq}</h1>
<nav aria-label="${TEXTS.record}"><a href="${path}">${TEXTS.back}</a> ${link(older, TEXTS.previous)} ${link(newer, TEXTS.next)}</nav>
<p>${timeText(record.receivedAt)}, ${formatBytes(record.bytes)}: ${statusText(record.deliveryStatus)}.</p>
<p><a href="${path}?record=${record.seq}&amp;raw">${TEXTS.whole}</a></p>
<h2>${TEXTS.items}</h2>
${record.items.map(itemSection)}
<h2>${TEXTS.removed}</h2>
${removedList(TEXTS.storedWithout, record.facts.scrubbed ?? [])}
${record.attempts.map((attempt) => [removedList(TEXTS.removedFromPost, attempt.removed), leftOutList(attempt)])}
${isUntouched(record) && html`<p>${TEXTS.nothingRemoved}</p>`}
<h2>${TEXTS.attempts}</h2>
${record.attempts.length === 0 ? html`<p>${TEXTS.noAttempts}</p>` : html`<ul>${record.attempts.map(attemptLine)}</ul>`}
<h2>${TEXTS.facts}</h2>
${factList({ ...record.facts, project: record.project, stamp: record.stamp })}`
}

const isUntouched = ({ facts, attempts }: VisitorDetail['record']): boolean =>
  (facts.scrubbed ?? []).length === 0 && attempts.every(({ removed, leftOut }) => removed.length + leftOut.length === 0)

function itemSection(item: VisitorDetail['record']['items'][number]): Html {
  const value = item.text === null || item.truncated ? null : jsonOr(item.text, null)
  return html`<h3>${kindText(item.category, item.quantity)}</h3>
<p class="soft">${item.type}, ${formatBytes(item.bytes)}: ${statusText(item.deliveryStatus)}</p>
${stepList(value)}${reportList(value)}
${item.text === null ? html`<p>${TEXTS.notText}</p>` : html`<pre tabindex="0" role="region" aria-label="${item.type} ${item.index + 1}">${indented(item.text, value)}</pre>`}
${item.truncated && html`<p>${TEXTS.cut}</p>`}`
}

/** Longer and deeper values stay as they are: indenting them could make a text of hundreds of megabytes. */
const MOST_INDENTED = 32 * 1024
const MOST_LEVELS = 20

const indented = (text: string, value: unknown): string =>
  value !== null && text.length <= MOST_INDENTED && hasLevels(value, MOST_LEVELS)
    ? JSON.stringify(value, null, 2)
    : text

const hasLevels = (value: unknown, most: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (most > 0 && Object.values(value).every((one) => hasLevels(one, most - 1)))

/** The list under a name, also in the older form `{ values: [] }`. */
function listOf(value: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isObject(value) ? value[name] : null
  const entries = isObject(list) ? list.values : list
  return Array.isArray(entries) ? entries.filter(isObject) : []
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function stepList(event: unknown): HtmlValue {
  const steps = listOf(event, 'breadcrumbs')
  if (steps.length === 0) return null
  const line = (step: Readonly<Record<string, unknown>>): Html => {
    const data = isObject(step.data) ? [step.data.method, step.data.url, step.data.from, step.data.to] : []
    const text = [step.category ?? step.type, step.message, ...data].map(textOf).filter((part) => part !== '')
    return html`<li>${text.join(' ')}</li>`
  }
  return html`<p>${TEXTS.steps} (${steps.length}):</p><ol>${steps.map(line)}</ol>`
}

function reportList(report: unknown): HtmlValue {
  const entries = listOf(report, 'discarded_events')
  if (entries.length === 0) return null
  return html`<ul>${entries.map(
    ({ category, quantity, reason }) =>
      html`<li>${kindText(textOf(category), Number(quantity))}: ${lossReason({ by: 'sdk', reason: textOf(reason) })}</li>`,
  )}</ul>`
}

const removedList = (title: string, removed: readonly Removed[]): HtmlValue =>
  removed.length > 0 &&
  html`<p>${title}:</p><ul>${removed.map(({ rule, path }) => html`<li>${rule}: <code>${path}</code></li>`)}</ul>`

const leftOutList = ({ leftOut }: Delivery): HtmlValue =>
  leftOut.length > 0 &&
  html`<p>${TEXTS.leftOut}:</p><ul>${leftOut.map(({ category, quantity }) => html`<li>${kindText(category, quantity)}</li>`)}</ul>`

const attemptLine = ({ endedAt, upstream, status, error }: Delivery): Html =>
  html`<li>${timeText(endedAt)}: ${upstream}, ${status === null ? (error ?? '') : `status ${status}`}</li>`

function factList(facts: Readonly<Record<string, unknown>>): Html {
  const known = Object.entries(facts).filter(
    ([name, value]) => name !== 'scrubbed' && value !== null && value !== undefined,
  )
  return html`<dl>${known.map(([name, value]) => html`<dt>${name}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`)}</dl>`
}
