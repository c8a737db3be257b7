type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

const EVENT = { event_id: '0'.repeat(32), timestamp: 1_795_000_000, platform: 'node' } as const
const inFrame = (vars: Json): Json => ({
  ...EVENT,
  exception: { values: [{ type: 'Error', stacktrace: { frames: [{ filename: 'a.py', lineno: 4, vars }] } }] },
})
const inSpan = (fields: { readonly [name: string]: Json }): Json => ({
  ...EVENT,
  type: 'transaction',
  spans: [{ span_id: '0'.repeat(16), op: 'task', start_timestamp: 1, timestamp: 2, ...fields }],
})
const inLog = (fields: { readonly [name: string]: Json }): Json => ({
  items: [{ timestamp: 1, trace_id: '0'.repeat(32), level: 'info', body: 'done', ...fields }],
})

/** Positions of a text in payloads, by name. */
export const PLACES: Readonly<Record<string, (text: string) => Json>> = {
  message: (text) => ({ ...EVENT, message: text }),
  exception: (text) => ({ ...EVENT, exception: { values: [{ type: 'Error', value: text }] } }),
  breadcrumb: (text) => ({ ...EVENT, breadcrumbs: [{ category: 'log', message: text }] }),
  breadcrumbData: (text) => ({ ...EVENT, breadcrumbs: [{ data: { arguments: ['sent', text] } }] }),
  url: (text) => ({ ...EVENT, request: { url: `https://shop.test/find?page=2&q=${encodeURIComponent(text)}&x=1` } }),
  queryString: (text) => ({ ...EVENT, request: { query_string: `a=1&q=${encodeURIComponent(text)}` } }),
  headerLine: (text) => ({ ...EVENT, request: { headers: [['X-Debug', text.replaceAll(/\r?\n/g, ' \n ')]] } }),
  logBody: (text) => inLog({ body: `2026-11-20T10:00:00Z ERROR [worker-3] ${text}` }),
  logAttribute: (text) => inLog({ attributes: { detail: { value: text, type: 'string' } } }),
  spanDescription: (text) => inSpan({ description: text }),
  spanData: (text) => inSpan({ data: { 'app.input': text } }),
  jsonInString: (text) => ({ ...EVENT, message: `sent ${JSON.stringify({ id: 4, detail: text })}` }),
  jsonInJson: (text) => ({ ...EVENT, extra: { body: JSON.stringify({ a: JSON.stringify({ detail: text }) }) } }),
  variable: (text) => inFrame({ line: `'${text}'` }),
}

/** Positions of a field with a name, by name. */
export const CONTAINERS: Readonly<Record<string, (name: string, value: string) => Json>> = {
  extra: (name, value) => ({ ...EVENT, extra: { [name]: value } }),
  form: (name, value) => ({ ...EVENT, request: { data: { user: 'bo', form: { [name]: value } } } }),
  headers: (name, value) => ({
    ...EVENT,
    request: {
      headers: [
        ['Accept', '*/*'],
        [name, value],
      ],
    },
  }),
  breadcrumb: (name, value) => ({ ...EVENT, breadcrumbs: [{ category: 'http', data: { [name]: value } }] }),
  variables: (name, value) => inFrame({ [name]: value }),
  spanData: (name, value) => inSpan({ data: { [name]: value } }),
  logAttribute: (name, value) => inLog({ attributes: { [`app.${name}`]: { value, type: 'string' } } }),
  context: (name, value) => ({ ...EVENT, contexts: { config: { type: 'config', inner: { [name]: value } } } }),
}

/** The longest run of letters and digits in a secret: what is left of it in part counts as left. */
const core = (secret: string): string =>
  (secret.match(/[\p{L}\p{N}]+/gu) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '')

export const remains = (secret: string, payload: string): boolean => payload.includes(core(secret))
