import { type Html, type HtmlValue, html } from '../document/html'
import type { Consent } from '../protocol/consent'
import { sumByCategory } from '../protocol/data-category'
import type { Result } from '../protocol/result'
import type { VisitorDeleted, VisitorRecord, VisitorRecords } from '../wire/visitor'
import { COUNTED_RECORDS } from '../wire/visitor-limits'
import { timeText } from './record-page'
import {
  collectedText,
  consentChoices,
  consentText,
  couldSendTexts,
  deletedTexts,
  kindText,
  type PageOptions,
  recordsText,
  scrubbedText,
  serverRecordTexts,
  statusText,
  TEXTS,
  waitingTexts,
} from './texts'

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
  /** The consent of the visitor and its reason; `null` where the app has no such choice. */
  readonly consent: { readonly level: Consent; readonly why: 'chosen' | 'signal' | 'default' } | null
  /** Whether the server records the address of its visitors. */
  readonly recordsAddress: boolean
}

export function overviewPage(overview: Overview): Html {
  const { path, records, waiting, options } = overview
  const found = records?.ok === true ? records.value : null
  const hasAny = (found?.total ?? 0) > 0 || (waiting.ok && waiting.value > 0)
  return html`<h1>${TEXTS.title}</h1>
<p>${TEXTS.intro}</p>
${records?.ok === false && html`<p class="banner" role="status">${TEXTS.unavailable} ${records.error}. ${TEXTS.unavailableAdvice}</p>`}
<h2>${TEXTS.sent}</h2>
${found !== null && found.total > 0 ? recordList(found, overview) : html`<p>${records?.ok === false ? TEXTS.notKnown : TEXTS.nothing}</p>`}
<h2>${TEXTS.waiting}</h2>
${waitingList(found, waiting, records?.ok !== false)}
<p class="hint">${TEXTS.waitsInBrowser}</p>
<h2>${TEXTS.removed}</h2>
<p>${TEXTS.removedIntro}</p>
${found !== null && found.total > 0 && scrubbedLine(found.records)}
<h2>${TEXTS.where}</h2>
<p>${TEXTS.whereIntro}</p>
${found !== null && destinations(found.records)}
${overview.consent !== null && consentSection(path, overview.consent)}
<h2>${TEXTS.couldSend}</h2>
<p>${TEXTS.couldSendIntro}</p>
${couldSend(options)}
<h2>${TEXTS.serverRecords}</h2>
${bullets(serverRecordTexts(overview.recordsAddress))}
${hasAny && html`<h2>${TEXTS.actions}</h2><nav aria-label="${TEXTS.actions}"><a href="${path}?download">${TEXTS.download}</a> <a href="${path}?delete">${TEXTS.deleteLink}</a></nav>`}
<p><a href="/">${TEXTS.home}</a></p>`
}

function consentSection(path: string, { level, why }: NonNullable<Overview['consent']>): Html {
  const choice = (one: (typeof consentChoices)[number]): Html =>
    html`<p class="choice"><input type="radio" name="consent" id="consent-${one.level}" value="${one.level}" aria-describedby="about-${one.level}"${one.level === level && html` checked`}><label for="consent-${one.level}">${one.name}</label><span class="hint" id="about-${one.level}">${one.meaning}</span></p>`
  return html`<h2 id="consent">${TEXTS.consent}</h2>
<p>${TEXTS.consentIntro}</p>
<p role="status">${consentText(level, why)}</p>
<form method="post" action="${path}"><input type="hidden" name="do" value="consent"><fieldset><legend>${TEXTS.consentLegend}</legend>${consentChoices.map(choice)}</fieldset><p><button class="button primary" type="submit">${TEXTS.consentSave}</button></p></form>
<p class="hint">${TEXTS.consentBlocked}</p>`
}

function recordList({ records, counts, total, next }: VisitorRecords, { path, isLaterPage }: Overview): Html {
  const line = (record: VisitorRecord): Html => {
    const kinds = [...sumByCategory(record.items)].map(([category, quantity]) => kindText(category, quantity))
    const { lastDelivery } = record
    const target = record.deliveryStatus.name === 'accepted' && lastDelivery !== null && ` (${lastDelivery.upstream})`
    return html`<li><a href="${path}?record=${record.seq}">${TEXTS.record} ${record.seq}</a>, ${timeText(record.receivedAt)}: ${kinds.join(', ')}; ${statusText(record.deliveryStatus)}${target}</li>`
  }
  return html`<p>${recordsText(total)}: ${counts.map(({ category, quantity }) => kindText(category, quantity)).join(', ')}. ${total > COUNTED_RECORDS && TEXTS.countsOfNewest}</p>
<ul>${records.map(line)}</ul>
<nav aria-label="${TEXTS.sent}">${isLaterPage && html`<a href="${path}">${TEXTS.newest}</a>`} ${next !== null && html`<a href="${path}?before=${next}">${TEXTS.older}</a>`}</nav>`
}

function waitingList(found: VisitorRecords | null, waiting: Result<number, string>, isKnown: boolean): HtmlValue {
  const lines = waitingTexts(found?.pending ?? 0, waiting)
  if (lines.length > 0) return bullets(lines)
  return html`<p>${isKnown ? TEXTS.nothingWaits : TEXTS.notKnown}</p>`
}

function scrubbedLine(records: readonly VisitorRecord[]): Html {
  const scrubbed = records.filter((record) => record.scrubbed > 0)
  if (scrubbed.length === 0) return html`<p>${TEXTS.noneRemoved}</p>`
  const sum = scrubbed.reduce((all, record) => all + record.scrubbed, 0)
  return html`<p>${scrubbedText(scrubbed.length, sum)}</p>`
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

function couldSend(options: PageOptions): Html {
  const collected = Object.entries(options.dataCollection).map(([name, value]) => collectedText(name, value))
  return html`${bullets(couldSendTexts(options))}
<dl>${collected.map(([what, sent]) => html`<dt>${what}</dt><dd>${sent}</dd>`)}</dl>`
}

const bullets = (lines: readonly string[]): Html => html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`

/** Asks before everything is deleted. */
export const confirmPage = (path: string): Html => html`<h1>${TEXTS.deleteTitle}</h1>
<p>${TEXTS.deleteIntro}</p>
${remains()}
<form method="post" action="${path}"><input type="hidden" name="do" value="delete"><button class="button danger" type="submit">${TEXTS.deleteButton}</button></form>
<p><a href="${path}">${TEXTS.cancel}</a></p>`

const remains = (): Html => html`<h2>${TEXTS.mayRemain}</h2>${bullets(TEXTS.remains)}`

/** The result of a deletion. @param files removed from the lifeboat */
export function deletedPage(path: string, done: VisitorDeleted, files: Result<number, string>): Html {
  return html`<h1>${TEXTS.title}</h1>
<div class="banner" role="status"><p>${TEXTS.deletedAll}</p>${bullets(deletedTexts(done, files.ok ? files.value : 0))}</div>
${!files.ok && html`<p class="banner bad" role="alert">${TEXTS.lifeboatLeft} ${files.error}</p>`}
<p>${TEXTS.lateIsDropped}</p>
${remains()}
<p><a href="${path}">${TEXTS.back}</a></p>`
}
