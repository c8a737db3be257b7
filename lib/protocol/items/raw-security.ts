import * as z from 'zod'
import { firstOf, isObject, type JsonObject, text } from '../json-value'
import { parseJson } from '../parse-json'
import { fail, succeed } from '../result'
import { numberField, objectField, textField, timeField } from './fields'
import { cutName, NO_FIELDS, type ParseSignals, type Signal } from './signal'

/** Both spellings of each field: reports of `report-uri` use hyphens, those of the Reporting API camel case. */
const cspSchema = z.object({
  'effective-directive': textField,
  'violated-directive': textField,
  effectiveDirective: textField,
  violatedDirective: textField,
  'blocked-uri': textField,
  blockedURL: textField,
  blockedURI: textField,
  'document-uri': textField,
  documentURL: textField,
  documentURI: textField,
  disposition: textField,
  'status-code': numberField,
  statusCode: numberField,
  'source-file': textField,
  sourceFile: textField,
  'line-number': numberField,
  lineNumber: numberField,
  'column-number': numberField,
  columnNumber: numberField,
  'script-sample': textField,
  sample: textField,
  referrer: textField,
  'original-policy': textField,
  originalPolicy: textField,
})

/** Expect-CT, Expect-Staple and HPKP: a certificate was not what the host had promised. */
const certificateSchema = z.object({ hostname: textField, port: numberField, 'date-time': timeField })

const reportSchema = z.object({ type: textField, url: textField, user_agent: textField, body: objectField })

/** Parses reports of a browser about violated policies: the body of the security endpoint. */
export const parseRawSecurity: ParseSignals = ({ payload, most }, sizeLimits) => {
  const json = parseJson(payload, sizeLimits.depth)
  if (!json.ok) return json
  const all: readonly unknown[] = Array.isArray(json.value) ? json.value : [json.value]
  const { read, beyond } = firstOf(all, most)
  const signals = read.filter(isObject).flatMap(signalOf)
  if (signals.length === 0 && read.length > 0)
    return fail('the report must be CSP, Expect-CT, Expect-Staple, HPKP or of the Reporting API')
  return succeed({
    signals,
    unreadable: read.length - signals.length,
    beyond,
    sender: { platform: null, sdk: null, inBrowser: true },
  })
}

function signalOf(report: JsonObject): Signal[] {
  const csp = report['csp-report']
  if (isObject(csp)) return [cspSignal(csp)]
  for (const name of ['expect-ct-report', 'expect-staple-report'] as const) {
    const certificate = report[name]
    if (isObject(certificate)) return [certificateSignal(name, certificate)]
  }
  if (report['known-pins'] !== undefined) return [certificateSignal('hpkp', report)]
  const { type, url, user_agent, body } = reportSchema.parse(report)
  if (type === null || !isObject(report.body)) return []
  return type === 'csp-violation' ? [cspSignal(body, user_agent)] : [otherSignal(type, url, body, user_agent)]
}

function cspSignal(report: JsonObject, userAgent: string | null = null): Signal {
  const csp = cspSchema.parse(report)
  // Old browsers write the whole directive into `violated-directive`; its first word is the name.
  const violated = (csp['violated-directive'] ?? csp.violatedDirective)?.split(' ', 1)[0] ?? null
  const directive = csp['effective-directive'] ?? csp.effectiveDirective ?? violated
  const blocked = csp['blocked-uri'] ?? csp.blockedURL ?? csp.blockedURI
  return {
    ...NO_FIELDS,
    kind: 'security',
    name: cutName(`${directive ?? 'a policy'} blocked ${blocked ?? 'something'}`),
    level: csp.disposition,
    fields: {
      type: 'csp',
      directive,
      blocked,
      document: csp['document-uri'] ?? csp.documentURL ?? csp.documentURI,
      disposition: csp.disposition,
      status: csp['status-code'] ?? csp.statusCode,
      sourceFile: csp['source-file'] ?? csp.sourceFile,
      line: csp['line-number'] ?? csp.lineNumber,
      column: csp['column-number'] ?? csp.columnNumber,
      sample: csp['script-sample'] ?? csp.sample,
      referrer: csp.referrer,
      policy: csp['original-policy'] ?? csp.originalPolicy,
      userAgent,
    },
  }
}

function certificateSignal(name: string, report: JsonObject): Signal {
  const { hostname, port, 'date-time': at } = certificateSchema.parse(report)
  const type = name.replace(/-report$/, '')
  return {
    ...NO_FIELDS,
    kind: 'security',
    rank: at ?? 0,
    timestampUs: at,
    name: cutName(`${type} ${hostname ?? '(no host)'}`),
    fields: { type, hostname, port },
  }
}

/** Returns the signal of any other report, such as `deprecation` or `network-error`. */
function otherSignal(type: string, url: string | null, body: JsonObject, userAgent: string | null): Signal {
  const what = text(body.type) ?? text(body.id) ?? text(body.reason)
  return {
    ...NO_FIELDS,
    kind: 'security',
    name: cutName([type, what, url].filter((part) => part !== null).join(' ')),
    fields: { type, document: url, body, userAgent },
  }
}
