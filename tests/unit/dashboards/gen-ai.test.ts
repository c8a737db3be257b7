import { describe, expect, it } from 'vitest'
import { conversationOf } from '../../../dashboards/traces/gen-ai'

const json = (value: unknown): string => JSON.stringify(value)

describe('the conversation of a call to a language model', () => {
  it('is read by the conventions of OpenTelemetry', () => {
    const attributes = {
      'gen_ai.system_instructions': json([{ type: 'text', content: 'Be brief.' }]),
      'gen_ai.input.messages': json([
        { role: 'user', parts: [{ type: 'text', content: 'Weather in Kiel?' }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: '1', response: { degrees: 4 } }] },
      ]),
      'gen_ai.output.messages': json([
        { role: 'assistant', parts: [{ type: 'tool_call', id: '1', name: 'weather', arguments: { city: 'Kiel' } }] },
      ]),
      'gen_ai.tool.definitions': json([{ type: 'function', name: 'weather' }]),
    }
    expect(conversationOf(attributes)).toEqual({
      messages: [
        { role: 'system', tool: null, text: 'Be brief.', isCut: false },
        { role: 'user', tool: null, text: 'Weather in Kiel?', isCut: false },
        { role: 'tool', tool: 'tool', text: '{\n  "degrees": 4\n}', isCut: false },
        { role: 'assistant', tool: 'weather', text: '{\n  "city": "Kiel"\n}', isCut: false },
      ],
      tools: ['weather'],
    })
  })

  it('is read by the conventions of Sentry', () => {
    const attributes = {
      'gen_ai.request.messages': json([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      ]),
      'gen_ai.response.text': 'Hi!',
      'gen_ai.response.tool_calls': json([{ id: '1', function: { name: 'greet', arguments: '{"to":"you"}' } }]),
      'gen_ai.request.available_tools': json([{ function: { name: 'greet' } }, 'wave']),
    }
    const found = conversationOf(attributes)
    expect(found?.messages.map(({ role, tool, text }) => [role, tool, text])).toEqual([
      ['system', null, 'Be brief.'],
      ['user', null, 'Hello'],
      ['assistant', null, 'Hi!'],
      ['assistant', 'greet', '{\n  "to": "you"\n}'],
    ])
    expect(found?.tools).toEqual(['greet', 'wave'])
  })

  it('of a tool has its arguments and its result', () => {
    const attributes = { 'gen_ai.tool.name': 'add', 'gen_ai.tool.input': '{"a":1}', 'gen_ai.tool.output': '2' }
    expect(conversationOf(attributes)?.messages.map(({ role, tool, text }) => [role, tool, text])).toEqual([
      ['assistant', 'add', '{\n  "a": 1\n}'],
      ['tool', 'add', '2'],
    ])
  })

  it.each([
    ['[{"role":"user","content":"a long qu', '[{"role":"user","content":"a long qu'],
    [json([{ role: 'user', content: 'a long text [truncated]' }]), 'a long text [truncated]'],
  ])('that was cut is shown as it is, and says so: %s', (messages, text) => {
    expect(conversationOf({ 'gen_ai.input.messages': messages })?.messages).toEqual([
      { role: 'user', tool: null, text, isCut: true },
    ])
  })

  it.each([{}, { 'gen_ai.request.model': 'm' }, { 'gen_ai.input.messages': null }, { 'gen_ai.input.messages': '[]' }])(
    'is absent from %j',
    (attributes) => {
      expect(conversationOf(attributes)).toBeNull()
    },
  )

  it.each([7, true, [[[]]], { role: 5 }, { role: 'user', content: { deep: [1] } }, [null, 0, '']])(
    'does not fail for %j',
    (value) => {
      expect(() => conversationOf({ 'gen_ai.input.messages': value, 'gen_ai.tool.definitions': value })).not.toThrow()
    },
  )
})
