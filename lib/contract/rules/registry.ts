import { clockSkewRule } from './clock-skew'
import { duplicateIdsRule } from './duplicate-ids'
import { missingReleaseRule } from './missing-release'
import { nPlusOneRule } from './n-plus-one'
import { orphansRule } from './orphans'
import { oversizedRule } from './oversized'
import { privacyRule } from './privacy'
import type { Rule } from './rule'
import { unhandledErrorsRule } from './unhandled-errors'

/** Every rule: those of the settings in the order of the settings, then those that come from none. */
export const RULES: readonly Rule[] = [
  unhandledErrorsRule,
  privacyRule,
  duplicateIdsRule,
  oversizedRule,
  nPlusOneRule,
  orphansRule,
  missingReleaseRule,
  clockSkewRule,
]
