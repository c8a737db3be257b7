import { COLLECTOR_PATH } from '../../lib/contract/values'

/**
 * Whether the collector serves these boards itself, without the app: then there is no lab, and the collector is at the
 * root of the page's own address. The bundle sets it.
 */
export const IS_STANDALONE = process.env.WAYSTATION_BOARDS === 'standalone'

/** Links to the lab are shown only where there is one. */
export const HAS_LAB = !IS_STANDALONE

/** The prefix of the collector's routes at the page's origin. */
export const COLLECTOR_BASE = IS_STANDALONE ? '' : COLLECTOR_PATH
