import { describe, expect, it } from 'vitest'
import { describeSpan } from '../../../lib/otlp/conventions'

type Attributes = Readonly<Record<string, unknown>>
type Expected = readonly [name: string, op: string | null, status: string | null]

/** Spans as instrumentations send them: who made the span, its kind, its name, its attributes. */
const SENT: readonly (readonly [string, string, string, Attributes, Expected])[] = [
  // HTTP
  [
    'JavaScript instrumentation-http, stable names',
    'server',
    'GET',
    { 'http.request.method': 'GET', 'url.path': '/cart', 'url.scheme': 'http', 'http.response.status_code': 200 },
    ['GET /cart', 'http.server', 'ok'],
  ],
  [
    'JavaScript instrumentation-http with a framework, old names',
    'server',
    'GET /cart/:id',
    { 'http.method': 'GET', 'http.target': '/cart/1?x=1', 'http.route': '/cart/:id', 'http.status_code': 500 },
    ['GET /cart/:id', 'http.server', 'error'],
  ],
  [
    'JavaScript instrumentation-http, outgoing, with a query and credentials',
    'client',
    'POST',
    {
      'http.request.method': 'POST',
      'url.full': 'https://u:p@api.shop.test/pay?key=1#x',
      'http.response.status_code': 404,
    },
    ['POST https://api.shop.test/pay', 'http.client', 'error'],
  ],
  [
    'Python instrumentation-requests, old names, status as text',
    'client',
    'HTTP GET',
    { 'http.method': 'GET', 'http.url': 'http://shop.test/items', 'http.status_code': '200' },
    ['GET http://shop.test/items', 'http.client', 'ok'],
  ],
  [
    'Java agent, outgoing with a template',
    'client',
    'GET',
    { 'http.request.method': 'GET', 'url.template': '/items/{id}', 'url.full': 'http://shop.test/items/7' },
    ['GET /items/{id}', 'http.client', null],
  ],
  [
    'Go otelhttp with a name of its own',
    'server',
    'checkout-handler',
    { 'http.request.method': 'POST', 'url.path': '/checkout', 'http.response.status_code': 201 },
    ['checkout-handler', 'http.server', 'ok'],
  ],
  [
    'Next.js, an internal part of a request',
    'internal',
    'resolve page components',
    { 'http.method': 'GET' },
    ['resolve page components', 'http', null],
  ],
  // databases
  [
    'JavaScript instrumentation-pg',
    'client',
    'pg.query:SELECT shop',
    { 'db.system': 'postgresql', 'db.name': 'shop', 'db.statement': 'SELECT * FROM orders' },
    ['pg.query:SELECT shop', 'db', null],
  ],
  [
    'Python instrumentation-psycopg',
    'client',
    'SELECT',
    { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM orders WHERE id = %s' },
    ['SELECT * FROM orders WHERE id = %s', 'db', null],
  ],
  [
    'Java Elasticsearch client, which calls by HTTP',
    'client',
    'search',
    { 'db.system.name': 'elasticsearch', 'http.request.method': 'POST', 'url.full': 'http://es.test/_search' },
    ['search', 'db', null],
  ],
  [
    'Java AWS SDK with DynamoDB, which calls by RPC',
    'client',
    'DynamoDB.GetItem',
    { 'rpc.system': 'aws-api', 'rpc.service': 'DynamoDB', 'db.system': 'dynamodb' },
    ['DynamoDB.GetItem', 'db', null],
  ],
  // messaging
  [
    'Java Kafka producer',
    'producer',
    'orders publish',
    { 'messaging.system': 'kafka', 'messaging.operation.type': 'send', 'messaging.destination.name': 'orders' },
    ['orders publish', 'queue.publish', null],
  ],
  [
    'Java Kafka consumer, old names',
    'consumer',
    'receive',
    { 'messaging.system': 'kafka', 'messaging.operation': 'receive', 'messaging.destination': 'orders' },
    ['receive orders', 'queue.receive', null],
  ],
  [
    'Python instrumentation-pika without an operation',
    'consumer',
    'orders process',
    { 'messaging.system': 'rabbitmq' },
    ['orders process', 'queue.process', null],
  ],
  [
    'JavaScript AWS SDK with SQS settling a message',
    'client',
    'settle orders',
    { 'messaging.system': 'aws_sqs', 'messaging.operation.type': 'settle', 'rpc.system': 'aws-api' },
    ['settle orders', 'queue.settle', null],
  ],
  // RPC
  [
    'Go otelgrpc, outgoing, old status',
    'client',
    'shop.Cart/Add',
    { 'rpc.system': 'grpc', 'rpc.service': 'shop.Cart', 'rpc.method': 'Add', 'rpc.grpc.status_code': 14 },
    ['shop.Cart/Add', 'rpc', 'error'],
  ],
  [
    'Go otelgrpc, incoming, stable status',
    'server',
    'shop.Cart/Add',
    { 'rpc.system.name': 'grpc', 'rpc.method': 'shop.Cart/Add', 'rpc.response.status_code': 'OK' },
    ['shop.Cart/Add', 'rpc', 'ok'],
  ],
  // GenAI
  [
    'Python instrumentation-openai',
    'client',
    'chat gpt-4',
    { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4' },
    ['chat gpt-4', 'gen_ai.chat', null],
  ],
  [
    'an older instrumentation with a name of its own',
    'client',
    'openai.chat',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4',
      'gen_ai.usage.input_tokens': 12,
      'server.address': 'api.openai.com',
      'error.type': 'timeout',
    },
    ['chat gpt-4', 'gen_ai.chat', 'error'],
  ],
  [
    'a tool of an agent',
    'internal',
    'tool',
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather', 'gen_ai.request.model': 'gpt-4' },
    ['execute_tool weather', 'gen_ai.execute_tool', null],
  ],
  [
    'an agent',
    'client',
    'run',
    { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner' },
    ['invoke_agent planner', 'gen_ai.invoke_agent', null],
  ],
  [
    'a provider without an operation',
    'client',
    'anthropic',
    { 'gen_ai.system': 'anthropic', 'gen_ai.request.model': 'claude' },
    ['anthropic', 'gen_ai', null],
  ],
  [
    'a server of tools',
    'server',
    'tools/call',
    { 'mcp.method.name': 'tools/call' },
    ['tools/call', 'mcp.server', null],
  ],
  // functions and others
  [
    'JavaScript instrumentation-aws-lambda behind HTTP',
    'server',
    'checkout',
    { 'faas.trigger': 'http', 'faas.invocation_id': '1', 'http.request.method': 'GET' },
    ['checkout', 'http.server', null],
  ],
  ['a function with a timer', 'server', 'nightly', { 'faas.trigger': 'timer' }, ['nightly', 'timer', null]],
  [
    'a call of a function',
    'client',
    'invoke',
    { 'faas.invoked_name': 'resize', 'faas.invoked_provider': 'aws' },
    ['invoke', 'function.aws', null],
  ],
  [
    'a call of a function of another provider',
    'client',
    'invoke',
    { 'faas.invoked_name': 'resize', 'faas.invoked_provider': 'tencent_cloud' },
    ['invoke', 'function', null],
  ],
  [
    'JavaScript instrumentation-graphql',
    'internal',
    'query Cart',
    { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Cart' },
    ['query Cart', 'graphql', null],
  ],
  ['an application', 'internal', 'render', { 'shop.cart.size': 3 }, ['render', null, null]],
]

describe('the description of a span', () => {
  it.each(SENT)('derives name, operation and status of %s', (_, kind, name, attributes, [expected, op, status]) => {
    expect(describeSpan({ kind, name, attributes })).toEqual({ name: expected, op, status })
  })

  it('takes operation and name of Sentry before all others', () => {
    const attributes = { 'sentry.op': 'cart.total', 'http.request.method': 'GET', 'url.path': '/cart' }
    const described = describeSpan({ name: 'GET', kind: 'server', attributes })
    expect(described).toEqual({ name: 'GET', op: 'cart.total', status: null })
  })

  it('names a request with an unknown method HTTP', () => {
    const attributes = { 'http.request.method': '_OTHER', 'http.route': '/cart' }
    expect(describeSpan({ name: 'HTTP', kind: 'server', attributes }).name).toBe('HTTP /cart')
  })

  it('ignores attributes without a value', () => {
    const attributes = { 'http.request.method': null, 'db.system': null }
    expect(describeSpan({ name: 'work', kind: 'client', attributes })).toEqual({ name: 'work', op: null, status: null })
  })

  it('cuts a long query to 1000 characters', () => {
    const attributes = { 'db.system': 'mysql', 'db.statement': 'x'.repeat(5000) }
    expect(describeSpan({ name: 'INSERT', kind: 'client', attributes }).name).toHaveLength(1000)
  })
})
