import type { CheckConfig } from './check-plan'

export type { CheckConfig } from './check-plan'

/**
 * What `waystation.config.ts` exports, with its names completed by the editor.
 * @example export default defineConfig({ rules: { orphans: 'off' }, budgets: { items: 40 } })
 */
export const defineConfig = (config: CheckConfig): CheckConfig => config
