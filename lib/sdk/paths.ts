import { COLLECTOR_PATH, isTunnelPath, TRACES_BELOW, TUNNEL_PATH } from '../contract/values'
import { SETTINGS_PATH } from './settings'

const LOGIN_PATH = '/login'
/** Pages that show recorded telemetry send only their errors; otherwise viewing a board would add to the board. */
export const BOARD_PATHS: readonly string[] = [
  '/traces',
  '/envelopes',
  '/errors',
  '/events',
  '/logs',
  '/vitals',
  '/signals',
  '/deliveries',
  '/losses',
  '/limits',
  '/contract',
  '/runs',
  '/storage',
  '/stand-in',
  LOGIN_PATH,
]
const LAB_PATH = '/lab'
/** The page on which visitors write about an error. */
export const FEEDBACK_PATH = '/feedback'
/** The page that shows visitors what was sent about them. It runs no SDK. */
export const DIAGNOSTICS_PATH = '/diagnostics'
const OWN_PATHS: readonly string[] = [TUNNEL_PATH, COLLECTOR_PATH, SETTINGS_PATH, FEEDBACK_PATH, DIAGNOSTICS_PATH]

/** Returns true for these paths and every path below them; ignores query and fragment. */
const isUnder = (target: string, paths: readonly string[]): boolean => {
  const path = target.replace(/[?#].*$/, '')
  return paths.some((one) => path === one || path.startsWith(`${one}/`))
}

export const isBoard = (target: string): boolean => isUnder(target, BOARD_PATHS)
export const isLogin = (target: string): boolean => isUnder(target, [LOGIN_PATH])
export const isLab = (target: string): boolean => isUnder(target, [LAB_PATH])
export const isOwnPath = (target: string): boolean => isUnder(target, OWN_PATHS) || isNamedTunnel(target)

const isNamedTunnel = (target: string): boolean => isTunnelPath(target.replace(/[?#].*$/, '').replace(TRACES_BELOW, ''))

/** Returns true for a path whose requests the server must not trace: otherwise a live board causes an envelope per poll. */
export const isUntraced = (path: string): boolean => isOwnPath(path) || isBoard(path)
