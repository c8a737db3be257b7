import type { CheckConfig } from './check-plan'

export type { CheckConfig } from './check-plan'

/**
 * Types the default export of `waystation.config.ts`, for completion in the editor.
 * @example export default defineConfig({ rules: { orphans: 'off' }, budgets: { items: 40 } })
 */
export const defineConfig = (config: CheckConfig): CheckConfig => config
