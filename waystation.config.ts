import type { CheckConfig } from './lib/verdict/expectations/check-plan'

/** `check` and `run` judge Waystation's own app by its contract. */
export default { preset: 'contract' } satisfies CheckConfig
