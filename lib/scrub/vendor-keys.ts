import { AFTER_ENCODED, FILTERED, type Removes, unnamed } from './rules'

/**
 * Formats of tokens, from the vendors' documentation and the rules of gitleaks (MIT licence): facts only, no copied patterns. Left out are public
 * keys (`pk_…`), and formats without a prefix.
 */
const FORMS: readonly string[] = [
  // Payment
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'whsec_[A-Za-z0-9+/]{32,}',
  'sq0(?:csp|atp)-[\\w-]{22,}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?![A-Za-z0-9])',
  'EAA[A-Za-z0-9]{80,}',
  'EZ[AT]K[A-Za-z0-9]{54}(?![\\w-])',
  // Code and packages
  'gh[opsur]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'gl(?:pat|dt|rt|ptt|cbt|agent|soat|imt|ft)-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{36}(?![\\w-])',
  'pypi-AgE[\\w-]{50,}',
  'rubygems_[a-f0-9]{48}(?![\\w-])',
  'dckr_(?:pat|oat)_[\\w-]{27,}',
  'sq[pau]_[a-f0-9]{40}(?![\\w-])',
  'lin_api_[A-Za-z0-9]{40}(?![\\w-])',
  'ATATT3[\\w=-]{100,}',
  'PMAK-[a-f0-9]{24}-[a-f0-9]{34}(?![\\w-])',
  'figd_[\\w-]{40,}',
  'ntn_[A-Za-z0-9]{43,}',
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}(?![\\w-])',
  'bk[a-z]{2}_[a-f0-9]{40}(?![\\w-])',
  'sgp_(?:[\\w-]{16}_)?[a-f0-9]{40}(?![\\w-])',
  'ops_eyJ[\\w-]{40,}',
  'CFPAT-[\\w-]{43}(?![\\w-])',
  // Chat
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'xapp-\\d-[A-Z0-9]{8,}-\\d{8,}-[a-f0-9]{32,}',
  'hooks\\.slack\\.com/(?:services|workflows)/[\\w/+-]{30,}',
  'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{17,20}/[\\w-]{60,}',
  '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])',
  'webhook\\.office\\.com/webhookb2/[\\w@/-]{36,300}',
  'hooks\\.zapier\\.com/hooks/catch/[\\w/-]{10,100}',
  'SK[a-f0-9]{32}(?![\\w-])',
  '(?:bot)?\\d{8,10}:AA[\\w-]{33}(?![\\w-])',
  // Clouds and infrastructure
  'A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[\\w-]{35}(?![\\w-])',
  'GOCSPX-[\\w-]{28}(?![\\w-])',
  'ya29\\.[\\w-]{20,}',
  '1//0[\\w-]{40,}',
  '4/0A[\\w-]{40,}',
  'do[opr]_v1_[a-f0-9]{64}(?![\\w-])',
  'hv[sbr]\\.[\\w-]{24,}',
  's\\.(?=[a-z0-9]{0,24}[A-Z])(?=[A-Za-z]{0,24}\\d)[A-Za-z0-9]{24}(?![\\w.-])',
  'tskey-[a-z]{2,10}-[\\w-]{20,}',
  'fm[12][ar]?_[\\w+/=-]{40,}',
  'pul-[a-f0-9]{40}(?![\\w-])',
  'sha256~[\\w-]{43}(?![\\w-])',
  'dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}',
  '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,}',
  'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.]{40,}',
  'pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,}',
  'dapi[a-f0-9]{32}(?:-\\d)?(?![\\w-])',
  'sbp_[a-f0-9]{40}(?![\\w-])',
  'sb_secret_[\\w-]{20,}',
  'nfp_[A-Za-z0-9]{36,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  // Models
  'sk-(?:proj|svcacct|admin|ant-(?:api|admin)\\d\\d)-[\\w-]{40,}',
  'sk-(?:or-v1-)?[A-Za-z0-9]{32,}(?![\\w-])',
  'hf_[A-Za-z0-9]{34}(?![\\w-])',
  'gsk_[A-Za-z0-9]{52}(?![\\w-])',
  'r8_[A-Za-z0-9]{37}(?![\\w-])',
  'xai-[A-Za-z0-9]{80}(?![\\w-])',
  'pplx-[A-Za-z0-9]{48}(?![\\w-])',
  // Mail and monitoring
  'SG\\.[\\w-]{22}\\.[\\w-]{43}(?![\\w-])',
  'key-[a-f0-9]{32}(?![\\w-])',
  're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}',
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}',
  'mlsn\\.[a-f0-9]{64}',
  'ph[xs]_[A-Za-z0-9]{32,}',
  'lsv2_(?:pt|sk)_[a-f0-9]{32}(?:_[a-f0-9]{10})?',
  // ASP.NET: a protected ticket or token
  'CfDJ8[\\w-]{40,}',
  '[a-f0-9]{32}-us\\d{1,2}(?![\\w-])',
  'sntry[su]_[\\w+/=-]{30,}',
  'NRAK-[A-Z0-9]{27}(?![\\w-])',
  'gl(?:sa|c)_[\\w+/=]{32,}',
]
const VENDOR_KEY = new RegExp(`(?:(?<![\\w-])|${AFTER_ENCODED})(?:${FORMS.join('|')})`, 'g')
/** A part of each format. */
const HAS_PREFIX =
  /[sr]k_(?:live|test)_|whsec_|sq0|shp[acps]|gh[opsur]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|agent|soat|imt|ft)-|npm_|pypi-|rubygems_|dckr_|sq[pau]_|lin_api_|ATATT3|PMAK-|figd_|ntn_|xox[abeoprs]-|xapp-|hooks\.slack|api\/webhooks|:AA|A(?:KI|SI)A|AIza|GOCSPX-|ya29\.|do[opr]_v1_|hv[sbr]\.|\.atlasv1\.|dp\.|pscale_|dapi|sbp_|sb_secret_|nfp_|AGE-SECRET|sk-|hf_|gsk_|r8_|xai-|pplx-|SG\.|key-|-us\d|sntry[su]_|NRAK-|gl(?:sa|c)_|EAA|EZ[AT]K|pat\w|bk[a-z]{2}_|sgp_|ops_|CFPAT|\.[\w-]{6}\.|webhook\.off|zapier|SK[a-f0-9]|\d\/\/?0|s\.\w|tskey-|fm[12]|pul-|sha256~|dt0|re_|xkeysib|mlsn|ph[xs]_|lsv2|CfDJ8/

/** A key as the user of a URL without a password. The key of a DSN is not a secret. */
const USER_OF_URL = /(?<=:\/\/)(?![0-9a-f]{32}@)(?=[^\s/@]{0,256}\d)(?=[^\s/@]{0,256}[A-Za-z])[\w.~+-]{20,256}(?=@)/g

export function scrubVendorKeys(text: string, removes: Removes): string {
  const removed = (within: string) => (key: string, at: number) =>
    removes(unnamed('vendor_key', key, within, at)) ? FILTERED : key
  const out = HAS_PREFIX.test(text) ? text.replace(VENDOR_KEY, removed(text)) : text
  return out.includes('://') && out.includes('@') ? out.replace(USER_OF_URL, removed(out)) : out
}
