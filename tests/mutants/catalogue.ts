/** A fault of the fixture app, switched on by the variable `MUTANT`. */
export interface Mutant {
  readonly name: string
  readonly about: string
  /** A sentence of the run names the cause if it matches. */
  readonly named: RegExp
  /** The last line of the run blames another part if it matches. */
  readonly wrong?: RegExp
  /** A team may choose this on purpose, so only a profile or `expect` can tell it from a mistake. */
  readonly choice?: true
  /** Nothing that is recorded differs, so the fault cannot be found. Not counted. */
  readonly outOfReach?: true
}

/** The value of `MUTANT` without a fault. */
export const CONTROL = 'control'

const NOTHING_FROM_BROWSER =
  /nothing (?:arrived|was recorded)|no (?:telemetry|envelope)s?.*(?:browser|page)|browser (?:reported|sent) nothing|pageload/i
const NOTHING_FROM_SERVER =
  /(?:no|without|missing|lacks?|never).*(?:server segment|http\.server|from the server|server SDK)|server (?:reported|sent) nothing|no segment of (?:the|a) server|nothing arrived from a server/i
const BLAMES_BROWSER =
  /nothing arrived from a browser|is (?:the )?browser SDK|instrumentation-client|browserTracingIntegration/i
const BLAMES_SERVER =
  /nothing arrived from a server|instrumentation\.ts|onRequestError|is Sentry\.init called in (?:it|the server)/i
const BLAMES_SDK = /is Sentry\.init called|does (?:a hook such as )?beforeSend|tracesSampleRate/i
const NO_PAGELOAD = /pageload/i
const NO_BREADCRUMBS = /breadcrumb/i

const BROWSER: readonly Mutant[] = [
  {
    name: 'browser-disabled',
    about: 'browser SDK with enabled: false',
    named: NOTHING_FROM_BROWSER,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'browser-no-init',
    about: 'browser SDK never initialised',
    named: NOTHING_FROM_BROWSER,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'no-browser-tracing',
    about: 'no browserTracingIntegration',
    named: NO_PAGELOAD,
    choice: true,
    wrong: BLAMES_SERVER,
  },
  { name: 'no-breadcrumbs', about: 'no breadcrumbsIntegration', named: NO_BREADCRUMBS, choice: true },
  { name: 'max-breadcrumbs-10', about: 'maxBreadcrumbs: 10', named: /maxBreadcrumbs/i, choice: true },
  { name: 'max-breadcrumbs-0', about: 'maxBreadcrumbs: 0', named: NO_BREADCRUMBS, choice: true },
  { name: 'wrong-tunnel-path', about: "tunnel: '/tunel'", named: /\/tunel\b|answered 404/i, wrong: BLAMES_SDK },
  {
    name: 'tunnel-missing',
    about: 'no tunnel, and nothing listens at the DSN',
    named: /the page has no tunnel, and nothing listens at the address of its DSN/,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'dsn-direct',
    about: 'pages post to the collector although there is a tunnel',
    named: /tunnel|directly|intake|endpoint/i,
    choice: true,
  },
  {
    name: 'wrong-key',
    about: 'another key in the DSN of the page',
    named: /key|answered 4\d\d|refused/i,
    wrong: BLAMES_SDK,
  },
  {
    name: 'init-twice',
    about: 'two copies of the SDK are initialised in the page',
    named: /twice|double|duplicate|two clients/i,
  },
  {
    name: 'init-same-twice',
    about: 'Sentry.init is called twice in the page, by one copy of the SDK',
    named: /Sentry\.init called twice/i,
  },
  {
    name: 'propagation-none',
    about: 'tracePropagationTargets: []',
    named: /trace headers?|propagat|sentry-trace|lacks? .*http\.client > http\.server/i,
    choice: true,
  },
  {
    name: 'propagation-all',
    about: 'tracePropagationTargets: [/.*/], so that a third party receives trace headers',
    named: /trace headers?|propagat|sentry-trace/i,
  },
  { name: 'release-missing', about: 'no release in the page', named: /release/i, choice: true },
  { name: 'environment-missing', about: 'no environment in the page', named: /environment/i, choice: true },
  { name: 'environment-misspelt', about: "environment: 'tset' in the page", named: /environment|tset/i, choice: true },
  { name: 'before-send-null', about: 'beforeSend returns null in the page', named: /before_?send/i },
  {
    name: 'ignore-errors-all',
    about: 'ignoreErrors: [/.*/]',
    named: /ignored?|event_processor|discarded|ignoreErrors/i,
  },
  { name: 'error-rate-hundredth', about: 'sampleRate: 0.01 for errors', named: /sample_?rate|sampl/i },
  {
    name: 'traces-rate-0',
    about: 'tracesSampleRate: 0 in the page',
    named: /sampl|pageload|navigation/i,
    choice: true,
    wrong: BLAMES_SERVER,
  },
  { name: 'traces-rate-half', about: 'tracesSampleRate: 0.5 in the page', named: /sampl|pageload|navigation/i },
  {
    name: 'traces-rate-half-silent',
    about: 'tracesSampleRate: 0.5 without client reports',
    named: /sampl|pageload|navigation|client report/i,
  },
  {
    name: 'clock-hour-wrong',
    about: 'the clock of the browser is an hour slow',
    named: /clock|hour|3,?6\d\d|late|skew/i,
  },
  { name: 'endless-spans', about: 'a span every 0.4 ms for ever', named: /tick|spans/i },
  { name: 'endless-span', about: 'a span that is started and never ended', named: /span\.end\(\)/ },
  {
    name: 'small-transport-buffer',
    about: 'transportOptions: { bufferSize: 1 }',
    named: /bufferSize/,
  },
  {
    name: 'equal-errors',
    about: '200 equal errors at once',
    named: /event_processor|queue_overflow|same error|equal|200|199|times/i,
  },
  {
    name: 'personal-data',
    about: 'dataCollection: { userInfo: true } in page and server',
    named: /personal|userInfo|IP address|infer_ip|client\.address|user\./i,
    choice: true,
  },
  {
    name: 'password-in-query',
    about: 'a password in the query string of a page',
    named: /password|secret|privacy|leak/i,
  },
  { name: 'password-in-log', about: 'a password in a log line', named: /password|secret|privacy|leak/i },
]

const SERVER: readonly Mutant[] = [
  { name: 'server-no-init', about: 'server SDK never initialised', named: NOTHING_FROM_SERVER, wrong: BLAMES_BROWSER },
  {
    name: 'server-before-send-null',
    about: 'beforeSend returns null on the server',
    named: /before_?send|500/i,
    wrong: BLAMES_BROWSER,
  },
  {
    name: 'no-request-error-hook',
    about: 'onRequestError is not exported',
    named: /500|onRequestError|error event/i,
    wrong: BLAMES_BROWSER,
  },
  {
    name: 'server-rate-half',
    about: 'the server samples half of the traces',
    named: /sampl/i,
    choice: true,
    wrong: BLAMES_BROWSER,
  },
  { name: 'server-traces-tunnel', about: 'the server traces the tunnel’s own requests', named: /tunnel/i },
]

/** Faults between SDK and collector, and a few more. */
const FURTHER: readonly Mutant[] = [
  { name: 'tunnel-404', about: 'the tunnel answers 404', named: /404/, wrong: BLAMES_SDK },
  { name: 'tunnel-500', about: 'the tunnel answers 500', named: /500/, wrong: BLAMES_SDK },
  {
    name: 'tunnel-swallows',
    about: 'the tunnel answers 200 and forwards nothing',
    named: /never arrived|did(?: not|n't) arrive|not arrive|answered 200|nothing arrived|pageload/i,
  },
  { name: 'sent-twice', about: 'a proxy sends each envelope twice', named: /twice|duplicate|double/i },
  {
    name: 'server-disabled',
    about: 'server SDK with enabled: false',
    named: NOTHING_FROM_SERVER,
    wrong: BLAMES_BROWSER,
  },
  {
    name: 'server-dsn-elsewhere',
    about: 'the server SDK has another DSN',
    named: NOTHING_FROM_SERVER,
    wrong: BLAMES_BROWSER,
  },
  { name: 'release-differs', about: 'browser and server have different releases', named: /release/i },
  {
    name: 'trace-headers-stripped',
    about: 'a proxy removes trace headers',
    named: /trace headers?|sentry-trace|same trace/i,
  },
  {
    name: 'transport-swallows',
    about: 'a transport that sends nothing',
    named: NOTHING_FROM_BROWSER,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'csp-blocks-tunnel',
    about: 'the Content-Security-Policy forbids the tunnel',
    named: /content.security|csp|blocked|tunnel|nothing arrived/i,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'blocker',
    about: 'an ad blocker aborts posts to the tunnel',
    named: /(?:session|error), network_error|blocked|abort|tunnel|nothing arrived/i,
    wrong: BLAMES_SERVER,
  },
  {
    name: 'wrong-project',
    about: 'another project id in the DSN of the page',
    named: /project|answered 4\d\d|refused/i,
    wrong: BLAMES_SDK,
  },
  {
    name: 'ignore-spans-all',
    about: 'ignoreSpans: [/.*/]',
    named: /ignored?|pageload|spans? .*(?:discarded|missing)/i,
  },
  { name: 'before-breadcrumb-null', about: 'beforeBreadcrumb returns null', named: NO_BREADCRUMBS, choice: true },
  { name: 'no-logs', about: 'beforeSendLog returns null', named: /\blogs?\b|log_item|before_?send/i, choice: true },
  {
    name: 'error-swallowed',
    about: 'a handler catches its error and answers by itself',
    named: /swallow/i,
    outOfReach: true,
  },
]

export const MUTANTS: readonly Mutant[] = [...BROWSER, ...SERVER, ...FURTHER]
