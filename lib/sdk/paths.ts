import { COLLECTOR_PATH, TUNNEL_PATH } from '../contract/values'
import { SETTINGS_PATH } from './settings'

const LOGIN_PATH = '/login'
/** Pages that show recorded telemetry send only their errors; otherwise viewing a board would add to the board. */
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
const OWN_PATHS: readonly string[] = [TUNNEL_PATH, COLLECTOR_PATH, SETTINGS_PATH]

/** Returns true for these paths and every path below them; ignores query and fragment. */
const isUnder = (target: string, paths: readonly string[]): boolean => {
  const path = target.replace(/[?#].*$/, '')
  return paths.some((one) => path === one || path.startsWith(`${one}/`))
}

export const isBoard = (target: string): boolean => isUnder(target, BOARD_PATHS)
export const isLogin = (target: string): boolean => isUnder(target, [LOGIN_PATH])
export const isLab = (target: string): boolean => isUnder(target, [LAB_PATH])
export const isOwnPath = (target: string): boolean => isUnder(target, OWN_PATHS)

/** Segments of one span that Next creates when it starts and when it loads a route. They say nothing about the app. */
const START_UP = /^(?:load (?:app )?route module|load instrumentation module|register instrumentation)$/

/** Returns true for a path whose requests the server must not trace: otherwise a live board causes an envelope per poll. */
export const isUntraced = (path: string): boolean => isOwnPath(path) || isBoard(path)

/** The argument of the SDK's `tracesSampler`: a segment that begins. */
interface SegmentStart {
  readonly name: string
  readonly inheritOrSampleWith: (rate: number) => number
}

/** Returns the sample rate of a segment, 0 to 1. A trace that its caller does not sample is not sampled here either. */
export const sampleRate = ({ name, inheritOrSampleWith }: SegmentStart): number =>
  START_UP.test(name) ? 0 : inheritOrSampleWith(1)
