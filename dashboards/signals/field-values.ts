import type { SignalRow } from '../../lib/wire/signal'

type Fields = SignalRow['fields']

/** A field that is text or a number, as text; `null` when it is absent, empty or anything else. */
export function textField(fields: Fields, name: string): string | null {
  const value = fields[name]
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberField(fields: Fields, name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** What an SDK adds to every log and metric by itself; what the sender said stands apart from it. */
const BY_THE_SDK = /^(?:sentry|server|user|browser|os|device|thread|code|process|app)\./

/** `userId=7 plan=free`: the attributes that the sender gave, in the order given. */
export function attributesText(fields: Fields): string | null {
  const value = fields.attributes
  if (typeof value !== 'object' || value === null) return null
  const own = Object.entries(value).filter(([name]) => !BY_THE_SDK.test(name))
  const said = own.map(([name, one]) => `${name}=${typeof one === 'string' ? one : JSON.stringify(one)}`)
  return said.length === 0 ? null : said.join(' ')
}
