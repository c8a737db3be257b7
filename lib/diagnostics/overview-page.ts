import { sumByCategory } from '../protocol/data-category'
import type { Result } from '../protocol/result'
import type { VisitorDeleted, VisitorRecord, VisitorRecords } from '../wire/visitor'
import { type Html, type HtmlValue, html } from './html'
import { timeText } from './record-page'
import { collectedText, kindText, statusText, TEXTS } from './texts'

/** The settings with which pages start their SDK, as far as the page explains them. */
export interface PageOptions {
  readonly environment: string
  readonly release?: string
  /** Share of page loads that are timed, from 0 to 1. */
  readonly tracesSampleRate: number
  readonly maxBreadcrumbs: number
  /** The SDK's option; each kind of data with its rule. */
  readonly dataCollection: object
}

export interface Overview {
  /** The path of the page. */
  readonly path: string
  /** `null` for a browser without a visitor's cookie. */
  readonly records: Result<VisitorRecords, string> | null
  /** Envelopes of the visitor in the lifeboat. */
  readonly waiting: Result<number, string>
  /** Whether the list begins with older records. */
  readonly isLaterPage: boolean
  readonly options: PageOptions
  /** Whether the server records the address of its visitors. */
  readonly recordsAddress: boolean
}

export function overviewPage(overview: Overview): Html {
  const { path, records, waiting, options } = overview
  const found = records?.ok === true ? records.value : null
  const hasAny = (found?.total ?? 0) > 0 || (waiting.ok && waiting.value > 0)
  return html`<h1>${TEXTS.title}</h1>
<p>${TEXTS.intro}</p>
${records?.ok === false && html`<p class="note" role="status">${TEXTS.unavailable} ${records.error}. ${TEXTS.unavailableAdvice}</p>`}
<h2>${TEXTS.sent}</h2>
${found !== null && found.total > 0 ? recordList(found, overview) : html`<p>${records?.ok === false ? TEXTS.notKnown : TEXTS.nothing}</p>`}
<h2>${TEXTS.waiting}</h2>
${waitingList(found, waiting, records?.ok !== false)}
<h2>${TEXTS.removed}</h2>
<p>${TEXTS.removedIntro}</p>
${found !== null && found.total > 0 && scrubbedLine(found.records)}
<h2>${TEXTS.where}</h2>
<p>${TEXTS.whereIntro}</p>
${found !== null && destinations(found.records)}
<h2>${TEXTS.couldSend}</h2>
<p>${TEXTS.couldSendIntro}</p>
${couldSend(options)}
<h2>${TEXTS.serverRecords}</h2>
${serverRecords(overview)}
${hasAny && html`<h2>${TEXTS.actions}</h2><nav aria-label="${TEXTS.actions}"><a href="${path}?download">${TEXTS.download}</a> <a href="${path}?delete">${TEXTS.deleteLink}</a></nav>`}`
}

function recordList({ records, counts, total, next }: VisitorRecords, { path, isLaterPage }: Overview): Html {
  const line = (record: VisitorRecord): Html => {
    const kinds = [...sumByCategory(record.items)].map(([category, quantity]) => kindText(category, quantity))
    const { lastDelivery } = record
    const target = record.deliveryStatus.name === 'accepted' && lastDelivery !== null && ` (${lastDelivery.upstream})`
    return html`<li><a href="${path}?record=${record.seq}">${TEXTS.record} ${record.seq}</a>, ${timeText(record.receivedAt)}: ${kinds.join(', ')}; ${statusText(record.deliveryStatus)}${target}</li>`
  }
  return html`<p>${total} ${total === 1 ? 'record' : 'records'}: ${counts.map(({ category, quantity }) => kindText(category, quantity)).join(', ')}. ${total > 1000 && TEXTS.countsOfNewest}</p>
<ul>${records.map(line)}</ul>
<nav aria-label="${TEXTS.sent}">${isLaterPage && html`<a href="${path}">${TEXTS.newest}</a>`} ${next !== null && html`<a href="${path}?before=${next}">${TEXTS.older}</a>`}</nav>`
}

function waitingList(found: VisitorRecords | null, waiting: Result<number, string>, isKnown: boolean): HtmlValue {
  const lines: string[] = []
  if (found !== null && found.pending > 0)
    lines.push(`${found.pending} of the records above: stored on this server, and not passed on yet.`)
  if (waiting.ok && waiting.value > 0)
    lines.push(`${waiting.value} in the queue of this server: received, and not recorded yet.`)
  if (!waiting.ok) lines.push(`${TEXTS.notReadLifeboat} ${waiting.error}`)
  if (lines.length > 0) return html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  return html`<p>${isKnown ? TEXTS.nothingWaits : TEXTS.notKnown}</p>`
}

function scrubbedLine(records: readonly VisitorRecord[]): Html {
  const scrubbed = records.filter((record) => record.scrubbed > 0)
  if (scrubbed.length === 0) return html`<p>${TEXTS.noneRemoved}</p>`
  const sum = scrubbed.reduce((all, record) => all + record.scrubbed, 0)
  return html`<p>From ${scrubbed.length} of the records of this list, ${sum} values were removed before they were stored.</p>`
}

function destinations(records: readonly VisitorRecord[]): HtmlValue {
  const counts = new Map<string, number>()
  for (const { deliveryStatus, lastDelivery } of records) {
    const text =
      lastDelivery === null ? statusText(deliveryStatus) : `${lastDelivery.upstream}: ${statusText(deliveryStatus)}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts.size > 0 && html`<ul>${[...counts].map(([text, count]) => html`<li>${count} × ${text}</li>`)}</ul>`
}

function couldSend({ environment, release, tracesSampleRate, maxBreadcrumbs, dataCollection }: PageOptions): Html {
  const lines = [
    'Errors in the code of a page: message, position in the code, address of the page, browser.',
    `Steps before an error, at most ${maxBreadcrumbs}: clicks with the name of the element, requests with their address, changes of the page, messages of the console.`,
    tracesSampleRate > 0
      ? `Timings of ${tracesSampleRate * 100} % of page loads and page changes, with their requests and with measurements of loading speed. Pages that show records send none.`
      : 'No timings.',
    'Log lines and measurements, where the code of a page writes any.',
    'Reports of visits: when one began, and whether it had errors.',
    'Counts of what was not sent, and why.',
    `With each of them: the environment ${environment}${release === undefined ? '' : `, the version ${release}`}, and a random number per page load.`,
  ]
  const collected = Object.entries(dataCollection).map(([name, value]) => collectedText(name, value))
  return html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
<dl>${collected.map(([what, sent]) => html`<dt>${what}</dt><dd>${sent}</dd>`)}</dl>`
}

const serverRecords = ({ recordsAddress }: Overview): Html =>
  html`<ul>
<li>When it arrived, and how long it waited in the queue of this server.</li>
<li>Headers of the request: type and encoding of the content, name and version of the browser and its system, the site of the page.</li>
<li>The random number of the page load, and a hash of the random cookie of this page.</li>
<li>${recordsAddress ? 'Your IP address, as the proxy of this server names it.' : 'Not your IP address.'}</li>
</ul>`

/** Asks before everything is deleted. */
export const confirmPage = (path: string): Html => html`<h1>${TEXTS.deleteTitle}</h1>
<p>${TEXTS.deleteIntro}</p>
${remains()}
<form method="post" action="${path}"><input type="hidden" name="do" value="delete"><button type="submit">${TEXTS.deleteButton}</button></form>
<p><a href="${path}">${TEXTS.cancel}</a></p>`

const remains = (): Html =>
  html`<h2>${TEXTS.mayRemain}</h2><ul>${TEXTS.remains.map((text) => html`<li>${text}</li>`)}</ul>`

/** The result of a deletion. @param files removed from the lifeboat */
export function deletedPage(path: string, done: VisitorDeleted, files: Result<number, string>): Html {
  const lines = [
    `${done.records} ${done.records === 1 ? 'record was' : 'records were'} deleted.`,
    done.dropped > 0 && `${done.dropped} of them waited to be passed on, and will not be.`,
    done.awaited > 0 && `${done.awaited} of them were being passed on at that moment: this was awaited first.`,
    done.posted > 0 && `${done.posted} of them had reached another service before, which may keep them.`,
    files.ok && files.value > 0 && `${files.value} more were removed from the queue of this server.`,
  ].filter((line) => line !== false)
  return html`<h1>${TEXTS.title}</h1>
<div class="note" role="status"><p>${TEXTS.deletedAll}</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>
${!files.ok && html`<p class="note" role="alert">${TEXTS.lifeboatLeft} ${files.error}</p>`}
<p>What this browser sent before now and what arrives later is dropped.</p>
${remains()}
<p><a href="${path}">${TEXTS.back}</a></p>`
}
