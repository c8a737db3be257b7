import { FILTERED, type Removes } from './rules'
import { isSecretCookie, isSecretField, isSecretName } from './secret-names'
import { hasRandomPart, isPlaceholder, looksChosen, looksRandom } from './value-shapes'

/** A form in which a secret appears without `name=value`. Its parts: the text before the value, and the value. */
interface Form {
  readonly pattern: RegExp
  /** The name, unless the pattern has a group for it. */
  readonly name: string
  readonly accepts: (value: string, name: string) => boolean
}

const isChosen = (value: string): boolean => !isPlaceholder(value) && (looksChosen(value) || looksRandom(value))
/** Percent-encoded signs do not count. */
const isRandom = (value: string): boolean =>
  !isPlaceholder(value) && looksRandom(value.replaceAll(/%[0-9A-Fa-f]{2}/g, '~'))
const isRandomOrStrong = (value: string): boolean =>
  isRandom(value) || (isChosen(value) && /\d.*[!#$%&*?+^=~]|[!#$%&*?+^=~].*\d/.test(value))
const isJumbled = (value: string): boolean =>
  isRandom(value) ||
  (isChosen(value) && value.length >= 10 && (hasRandomPart(value) || /^(?=.*\d)(?=.*[a-z]).*[A-Z]/.test(value)))
/** A session cookie. An id of a session is in many logs on purpose. */
const isSession = (value: string, name: string): boolean =>
  isSecretCookie(name) &&
  !isSecretName(name) &&
  !/(?:^|[_.-])(?:id|name|state)$/i.test(name) &&
  isRandom(value) &&
  !/^[0-9a-f-]+$/i.test(value)
/** In a form of a command or a field, where prose cannot stand. */
const isGiven = (value: string): boolean => !isPlaceholder(value)
const isOfSecretField = (value: string, name: string): boolean => isSecretField(name) && isGiven(value)
const isOfSecretName = (value: string, name: string): boolean => isSecretName(name) && isChosen(value)

/** Such texts are common in prose too, so a value is removed only if it looks like one. */
const FORMS: readonly Form[] = [
  // SQL: IDENTIFIED BY '…', WITH PASSWORD '…'
  {
    pattern: /(\b(?:IDENTIFIED\s{1,4}(?:WITH\s{1,4}\w{1,40}\s{1,4})?BY|PASSWORD)\s{1,4}')([^'\n]{1,256})(?=')/gi,
    name: 'password',
  },
  // Your password is …
  {
    pattern:
      /((?<![A-Za-z])(?<name>password|passwort|kennwort|senha|contraseña|passphrase|passcode|secret|token|key)\s{1,2}(?:is|was|is now|set to|changed to|ist|es|é)\s{1,2}\\{0,63}["'`]?)([^\s"'`\\]{6,256})/gi,
  },
  // Your verification code is …, PIN is …
  {
    pattern:
      /((?<![A-Za-z])(?:(?:verification|security|login|sign-in|confirmation|authentication|one-time|sms|access|reset|2fa|mfa|otp)\s(?:code|pin|passcode)|PIN|OTP)\s?(?:is|was|:|=)\s?)(\d{4,8})(?!\d)/gi,
    name: 'otp',
    accepts: isGiven,
  },
  // "pin":"…", pin=…
  {
    pattern:
      /((?<![\w-])(?<name>(?:[\w.-]{0,40}[_.-])?pin)(?:\\{0,63}["']\s?(?:=>|[:=])\s?\\{0,63}["']?|=))(\d{4,8})(?![\d.])/gi,
    accepts: isGiven,
  },
  // mnemonic: … (12 to 24 words)
  {
    pattern:
      /((?<![A-Za-z])(?:mnemonic|seed|recovery)(?:[ _-]?phrase)?(?:\s(?:is|was))?[^\w\n]{1,140})([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])/gi,
    name: 'mnemonic',
    accepts: () => true,
  },
  // token …, where the value is random
  {
    pattern: /((?<![A-Za-z])(?<name>token|secret|password|passphrase|api key)\s{1,2}["'`]?)([^\s"'`]{8,256})/gi,
    accepts: isRandomOrStrong,
  },
  // curl -u user:…
  {
    pattern:
      /(\bcurl\b[^\n|]{0,200}?\s(?:-u|--user|--proxy-user)[\s=]?\\{0,63}["']?[^\s:"'\\]{1,64}:)([^\s"'\\]{1,256})/g,
    name: 'password',
    accepts: isGiven,
  },
  // ldapsearch … -w …
  { pattern: /(\bldap[a-z]{3,12}\b[^\n|]{0,200}?\s-w\s?["']?)([^\s"'\\]{3,256})/g, name: 'password', accepts: isGiven },
  // sshpass -p …, docker login -p …, redis-cli -a …
  { pattern: /(\b(?:sshpass|login|redis-cli)\b[^\n|]{0,200}?\s-[pa]\s?["']?)([^\s"']{4,256})/g, name: 'password' },
  // mysql -p…
  {
    pattern: /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|]{0,200}?\s-p\\{0,63}["']?)([^\s"'\\]{3,256})/g,
    name: 'password',
    accepts: isGiven,
  },
  // SMTP, IMAP: AUTH PLAIN …
  { pattern: /(\bAUTH(?:ENTICATE)? (?:PLAIN|LOGIN|XOAUTH2) )([\w+/=]{8,2048})/g, accepts: isGiven },
  // FTP, POP3: PASS …
  { pattern: /((?:^|[>\n] ?)PASS )([^\s"'\\]{4,128})(?=[\s"'\\]|$)/g, name: 'password' },
  // .netrc: login … password …
  { pattern: /(\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4})([^\s"'\\]{3,256})/g, name: 'password', accepts: isGiven },
  // Digest … response="…"
  { pattern: /((?<![\w-])response=\\{0,63}["']?)([0-9a-f]{32,128})(?![\w-])/gi, accepts: isGiven },
  // Redis: AUTH user …
  { pattern: /(\bAUTH"?\s{1,4}(?:"[^"\n]{1,64}"\s{1,4})?"?)([^\s"]{6,256})/g, name: 'password' },
  // Go: user:…@tcp(host)/database
  { pattern: /((?<![\w.:-])[\w.-]{1,64}:)([^\s:@/]{4,256})(?=@(?:tcp|unix)\()/g, name: 'password' },
  // ["reset_password_token", "…"]
  {
    pattern: /(\[\s?\\{0,3}["'](?<name>[\w.-]{3,64})\\{0,3}["'],\s?\\{0,3}["'])([^"'\\\n]{6,512})/g,
    accepts: isOfSecretName,
  },
  // pass: '…', ADMIN_PW=…; alone it may also be the result of a test
  { pattern: /((?<![\w-])(?<name>(?:[\w.-]{0,40}[_.-])?(?:pass|pw))(?:["']?\s?[:=]\s?["']|=))([^\s"'&;]{6,128})/gi },
  // #password value="…"
  { pattern: /(passw(?:or)?d["'\]]{0,2}[^<>\n]{0,80}?\svalue=["'])([^"'\n]{4,128})/gi, name: 'password' },
  // _shop_session=…, sid: "…"
  {
    pattern: /((?<![\w.-])(?<name>[\w.-]{1,128})(?:=|["']?:\s?["']))([\w%.+/=~-]{20,4096})/g,
    accepts: isSession,
  },
  // /verify?key=…
  { pattern: /([?&](?<name>key)=)([\w%.+/=~-]{20,512})/gi, accepts: isRandom },
  // /callback?code=…
  { pattern: /([?&#]code=)([\w%.+/=~-]{16,1024})/gi, name: 'code', accepts: isRandom },
  // /reset-password/…, /verify-email?t=…
  {
    pattern:
      /(\/[\w-]{0,32}(?:reset|recover|verif|confirm|activat|magic|invit|unsubscrib|unlock|one-?time|accept|signin|sign-in|login|auth|token)[\w-]{0,32}\/(?:[a-z-]{1,24}\/){0,2})([\w.~%-]{16,512})/gi,
    accepts: isRandom,
  },
  {
    pattern:
      /(\/[\w-]{0,32}(?:reset|recover|verif|confirm|activat|magic|invit|unsubscrib|unlock|one-?time|accept)[\w/-]{0,64}\?[^\s#?]{0,200}?(?<![\w-])(?:t|tok|k|h|c|r|s|hash|ticket|uid|oobCode)=)([\w.~%-]{16,512})/gi,
    accepts: isRandom,
  },
  // name="password", a blank line, and the value: a part of a form with files
  {
    pattern: new RegExp(
      `(\\bname=\\\\{0,63}["'](?<name>[^"'\\\\\\s]{1,64})\\\\{0,63}["'](?:NL[\\w-]{1,40}:[^\\r\\n\\\\]{0,200}){0,3}NLNL)([^\\r\\n\\\\]{1,512})`.replaceAll(
        'NL',
        '(?: ?(?:\\r?\\n|(?:\\\\{1,63}r)?\\\\{1,63}n) ?)',
      ),
      'gi',
    ),
    accepts: isOfSecretField,
  },
  // Temporary password for Ada: …, token created: …
  {
    pattern:
      /((?<![A-Za-z])(?<name>password|passphrase|token|secret|key)\s(?:for\s[\w.@-]{1,64}|(?:(?:was|has been)\s)?(?:created|generated)):\s{1,2}["'`]?)([^\s"'`]{8,256})/gi,
    accepts: isJumbled,
  },
  // <password>…</password>, <add key="ApiKey" value="…" />
  { pattern: /(<(?<name>[\w:.-]{2,64})(?:\s[^<>\n]{0,200})?>)([^<\n]{1,1024})(?=<\/)/g, accepts: isOfSecretField },
  {
    pattern: /((?:key|name)=["'](?<name>[\w:.-]{2,64})["']\s{1,4}value=["'])([^"'\n]{6,256})/gi,
    accepts: isOfSecretName,
  },
  // PDO('mysql:…', 'user', '…')
  {
    pattern:
      /(\b(?:PDO(?:->__construct)?|mysqli(?:_connect)?|pg_connect)\(\s?["'][^"'\n]{1,256}["'],\s?["'][^"'\n]{0,64}["'],\s?["'])([^"'\n]{4,256})/g,
    name: 'password',
  },
  // license_key=…
  {
    pattern:
      /((?<![\w.-])(?<name>[\w.-]{0,40}(?:license|licence|write|deploy|ingest|publish|integration|webhook|storage|host|function|admin|server|service|root|crypto?|aes|hmac|cipher|app|project|site)[_-]?key)["']?\s?[=:]\s?["']?)([\w+/=:.-]{16,512})/gi,
    accepts: isRandom,
  },
].map((form) => ({ name: '', accepts: isChosen, ...form }))

/** Each form contains one of these. Most texts contain none. */
const HAS_A_STEM =
  /pass|pw|secret|token|key|sess|sid|AUTH|IDENTIFIED|curl|mysql|mariadb|redis-cli|cookie|logged|login|ldap|kennwort|senha|contrase|pin|otp|code|mnemonic|seed|recover|reset|verif|confirm|activat|magic|invit|unsubscrib|unlock|one-?time|accept|sign-?in|response=|name=|@(?:tcp|unix)\(/i

/** Removes secrets that a text states without `name=value`, if they look like secrets. */
export function scrubStated(text: string, removes: Removes): string {
  if (!HAS_A_STEM.test(text)) return text
  return FORMS.reduce(
    (out, { pattern, name, accepts }) =>
      out.replace(pattern, (whole: string, before: string, ...rest: readonly unknown[]) => {
        const groups = rest.at(-1)
        const isNamed = typeof groups === 'object' && groups !== null
        const found = isNamed && 'name' in groups ? String(groups.name) : name
        const value = whole.slice(before.length)
        const index = rest.at(isNamed ? -3 : -2)
        const at = (typeof index === 'number' ? index : 0) + before.length
        const isSecret = accepts(value, found) && !value.startsWith(FILTERED)
        return isSecret && removes({ rule: 'parameter', value, name: found, between: '="', text: out, at })
          ? before + FILTERED
          : whole
      }),
    text,
  )
}
