import { COLLECTOR_PATH, TUNNEL_PATH } from '../contract/values'
import { SETTINGS_PATH } from './settings'

const LOGIN_PATH = '/login'
/** Pages that look at what was recorded. They send their own errors and nothing else, or looking would fill what is looked at. */
const BOARD_PATHS: readonly string[] = [
  '/traces',
  '/envelopes',
  '/events',
  '/signals',
  '/deliveries',
  '/losses',
  '/limits',
  '/contract',
  '/storage',
  '/stand-in',
  LOGIN_PATH,
]
const LAB_PATH = '/lab'
/** Requests that belong to the line itself. */
const LINE_PATHS: readonly string[] = [TUNNEL_PATH, COLLECTOR_PATH, SETTINGS_PATH]

/** Is this path, or one below it, among those? Query and fragment do not count. */
const isUnder = (target: string, paths: readonly string[]): boolean => {
  const path = target.replace(/[?#].*$/, '')
  return paths.some((one) => path === one || path.startsWith(`${one}/`))
}

export const isBoard = (target: string): boolean => isUnder(target, BOARD_PATHS)
export const isLogin = (target: string): boolean => isUnder(target, [LOGIN_PATH])
export const isLab = (target: string): boolean => isUnder(target, [LAB_PATH])
export const isOnTheLine = (target: string): boolean => isUnder(target, LINE_PATHS)
