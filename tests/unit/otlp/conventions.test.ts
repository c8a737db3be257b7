import { describe, expect, it } from 'vitest'
import { describeSpan } from '../../../lib/otlp/conventions'

type Attributes = Readonly<Record<string, unknown>>

/**
 * Spans by their instrumentation: the sent attributes, then the sent kind and name with the resulting operation.
 * The resulting name follows if it differs from the sent one, and the status if there is one.
 */
const SENT: Readonly<Record<string, readonly [sent: Attributes, expected: string]>> = {
  // HTTP
  'JavaScript instrumentation-http, stable names': [
    { 'http.request.method': 'GET', 'url.path': '/cart', 'url.scheme': 'http', 'http.response.status_code': 200 },
    'server "GET" becomes http.server "GET /cart" with status ok',
  ],
  'JavaScript instrumentation-http with a framework, old names': [
    { 'http.method': 'GET', 'http.target': '/cart/1?x=1', 'http.route': '/cart/:id', 'http.status_code': 500 },
    'server "GET /cart/:id" becomes http.server with status error',
  ],
  'JavaScript instrumentation-http, outgoing, with a query and credentials': [
    {
      'http.request.method': 'POST',
      'url.full': 'https://u:p@api.shop.test/pay?key=1#x',
      'http.response.status_code': 404,
    },
    'client "POST" becomes http.client "POST https://api.shop.test/pay" with status error',
  ],
  'Python instrumentation-requests, old names, status as text': [
    { 'http.method': 'GET', 'http.url': 'http://shop.test/items', 'http.status_code': '200' },
    'client "HTTP GET" becomes http.client "GET http://shop.test/items" with status ok',
  ],
  'Java agent, outgoing with a template': [
    { 'http.request.method': 'GET', 'url.template': '/items/{id}', 'url.full': 'http://shop.test/items/7' },
    'client "GET" becomes http.client "GET /items/{id}"',
  ],
  'Go otelhttp with a name of its own': [
    { 'http.request.method': 'POST', 'url.path': '/checkout', 'http.response.status_code': 201 },
    'server "checkout-handler" becomes http.server with status ok',
  ],
  'Next.js, an internal part of a request': [
    { 'http.method': 'GET' },
    'internal "resolve page components" becomes http',
  ],
  // databases
  'JavaScript instrumentation-pg': [
    { 'db.system': 'postgresql', 'db.name': 'shop', 'db.statement': 'SELECT * FROM orders' },
    'client "pg.query:SELECT shop" becomes db',
  ],
  'Python instrumentation-psycopg': [
    { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM orders WHERE id = %s' },
    'client "SELECT" becomes db "SELECT * FROM orders WHERE id = %s"',
  ],
  'Java Elasticsearch client, which calls by HTTP': [
    { 'db.system.name': 'elasticsearch', 'http.request.method': 'POST', 'url.full': 'http://es.test/_search' },
    'client "search" becomes db',
  ],
  'Java AWS SDK with DynamoDB, which calls by RPC': [
    { 'rpc.system': 'aws-api', 'rpc.service': 'DynamoDB', 'db.system': 'dynamodb' },
    'client "DynamoDB.GetItem" becomes db',
  ],
  // messaging
  'Java Kafka producer': [
    { 'messaging.system': 'kafka', 'messaging.operation.type': 'send', 'messaging.destination.name': 'orders' },
    'producer "orders publish" becomes queue.publish',
  ],
  'Java Kafka consumer, old names': [
    { 'messaging.system': 'kafka', 'messaging.operation': 'receive', 'messaging.destination': 'orders' },
    'consumer "receive" becomes queue.receive "receive orders"',
  ],
  'Python instrumentation-pika without an operation': [
    { 'messaging.system': 'rabbitmq' },
    'consumer "orders process" becomes queue.process',
  ],
  'JavaScript AWS SDK with SQS settling a message': [
    { 'messaging.system': 'aws_sqs', 'messaging.operation.type': 'settle', 'rpc.system': 'aws-api' },
    'client "settle orders" becomes queue.settle',
  ],
  // RPC
  'Go otelgrpc, outgoing, old status': [
    { 'rpc.system': 'grpc', 'rpc.service': 'shop.Cart', 'rpc.method': 'Add', 'rpc.grpc.status_code': 14 },
    'client "shop.Cart/Add" becomes rpc with status error',
  ],
  'Go otelgrpc, incoming, stable status': [
    { 'rpc.system.name': 'grpc', 'rpc.method': 'shop.Cart/Add', 'rpc.response.status_code': 'OK' },
    'server "shop.Cart/Add" becomes rpc with status ok',
  ],
  // GenAI
  'Python instrumentation-openai': [
    { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4' },
    'client "chat gpt-4" becomes gen_ai.chat',
  ],
  'an older instrumentation with a name of its own': [
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4',
      'gen_ai.usage.input_tokens': 12,
      'server.address': 'api.openai.com',
      'error.type': 'timeout',
    },
    'client "openai.chat" becomes gen_ai.chat "chat gpt-4" with status error',
  ],
  'a tool of an agent': [
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather', 'gen_ai.request.model': 'gpt-4' },
    'internal "tool" becomes gen_ai.execute_tool "execute_tool weather"',
  ],
  'an agent': [
    { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner' },
    'client "run" becomes gen_ai.invoke_agent "invoke_agent planner"',
  ],
  'a provider without an operation': [
    { 'gen_ai.system': 'anthropic', 'gen_ai.request.model': 'claude' },
    'client "anthropic" becomes gen_ai',
  ],
  'a server of tools': [{ 'mcp.method.name': 'tools/call' }, 'server "tools/call" becomes mcp.server'],
  // functions and others
  'JavaScript instrumentation-aws-lambda behind HTTP': [
    { 'faas.trigger': 'http', 'faas.invocation_id': '1', 'http.request.method': 'GET' },
    'server "checkout" becomes http.server',
  ],
  'a function with a timer': [{ 'faas.trigger': 'timer' }, 'server "nightly" becomes timer'],
  'a call of a function': [
    { 'faas.invoked_name': 'resize', 'faas.invoked_provider': 'aws' },
    'client "invoke" becomes function.aws',
  ],
  'a call of a function of another provider': [
    { 'faas.invoked_name': 'resize', 'faas.invoked_provider': 'tencent_cloud' },
    'client "invoke" becomes function',
  ],
  'JavaScript instrumentation-graphql': [
    { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Cart' },
    'internal "query Cart" becomes graphql',
  ],
  'an application': [{ 'shop.cart.size': 3 }, 'internal "render" becomes null'],
}

describe('the description of a span', () => {
  it.each(Object.entries(SENT))('derives name, operation and status of %s', (_, [attributes, expected]) => {
    const words = /^(\w+) "(.*?)" becomes (\S+)(?: "(.*)")?(?: with status (\S+))?$/.exec(expected) ?? []
    const [, kind = '', name = '', op, called = name, status = null] = words
    expect(describeSpan({ kind, name, attributes })).toEqual({ name: called, op: op === 'null' ? null : op, status })
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
