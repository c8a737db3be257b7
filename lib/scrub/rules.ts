/** Replaces removed text. An IP address is still recognisable as one. */
export const FILTERED = '[Filtered]'
export const FILTERED_IP = '[ip]'

export const RULES = {
  key: 'every text under a secret name: password, token, auth, api_key …',
  cookie: 'a session or CSRF cookie, by its name',
  ip: 'an IP address in a field for one: user.ip_address, REMOTE_ADDR, X-Forwarded-For …',
  pem: 'a PEM block of a private or public key',
  url_auth: 'the password in //user:password@host',
  parameter: 'name=value, name: value, "name":"value" and --name value in any text, where the name is secret',
  bearer: 'the token after Bearer, and base64 user:password after Basic',
  jwt: 'a JSON web token',
  vendor_key: 'a key in the format of its vendor: sk_live_…, ghp_…, AKIA…; also in //key@host',
  card: 'a card number of 13 to 19 digits with a valid check digit',
  ssn: 'a US social security number, 123-45-6789',
  iban: 'a bank account number with its country’s length and valid check digits',
  email: 'an e-mail address',
  user_path: 'the user in /home/user, /Users/user and C:\\Users\\user',
} as const
export type RuleName = keyof typeof RULES

/** A value that a rule would remove. */
export interface Candidate {
  readonly rule: RuleName
  readonly value: string
  /** The name before the value, or the name of its field; empty where the format of the value is enough. */
  readonly name: string
  /** The text between name and value: `=`, `: `, `":"`. */
  readonly between: string
  /** The text that contains the value, and its position. */
  readonly text: string
  readonly at: number
}

/** Called for each candidate, in order; returns whether it is removed. */
export type Removes = (candidate: Candidate) => boolean

/** The threshold of scrubbing. */
export const removesAll: Removes = () => true

/** In time linear in the text's length. Returns the same text where nothing is removed. */
export type ScrubText = (text: string, removes: Removes) => string

/** A candidate that the format of its value makes one, without a name. */
export const unnamed = (rule: RuleName, value: string, text: string, at: number): Candidate => ({
  rule,
  value,
  name: '',
  between: '',
  text,
  at,
})

const NOTHING = /^(?:null|undefined|none|true|false|nil)$/i

export const isNoSecretValue = (value: string): boolean => NOTHING.test(value)

/** Directly after a percent-encoded character, whose last digit does not belong to the following word. */
export const AFTER_ENCODED = '(?<=%(?:25){0,2}[0-9A-Fa-f]{2})'
