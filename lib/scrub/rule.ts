/** What stands in the place of what was removed; an address is still told to have been one. */
export const FILTERED = '[Filtered]'
export const FILTERED_IP = '[ip]'

/** Every rule by its name, with what it takes. */
export const RULES = {
  key: 'every text under a name that says secret: password, token, auth, api_key …',
  cookie: 'a cookie by its name: what a login or a form is known by',
  ip: 'an address in a field that is one: user.ip_address, REMOTE_ADDR, X-Forwarded-For …',
  pem: 'a PEM block of a private or public key',
  url_auth: 'the password in //user:password@host',
  parameter: 'name=value, name: value, "name":"value" and --name value in any text, under a name that says secret',
  bearer: 'what follows Bearer, and user:password in base64 behind Basic',
  jwt: 'a JSON web token',
  vendor_key: 'a key by the form that its vendor gave it: sk_live_…, ghp_…, AKIA…; and one in //key@host',
  card: 'a card number of 13 to 19 digits whose check digit is right',
  ssn: 'a US social security number, 123-45-6789',
  iban: 'a bank account number of its country’s length whose check digits are right',
  email: 'an e-mail address',
  user_path: 'the user in /home/user, /Users/user and C:\\Users\\user',
} as const
export type RuleName = keyof typeof RULES

/**
 * A rule over one text, in time linear in its length.
 * @returns the text without what the rule takes; the same where there is nothing.
 */
export type ScrubText = (text: string) => string

const NOTHING = /^(?:null|undefined|none|true|false|nil)$/i

/** Is this value none that could be a secret, whatever it is called? */
export const saysNothing = (value: string): boolean => NOTHING.test(value)

/** Right behind a percent-encoded sign, whose last digit is none of what follows. */
export const BEHIND_ENCODED = '(?<=%(?:25){0,2}[0-9A-Fa-f]{2})'
