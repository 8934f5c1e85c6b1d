import { describe, expect, test } from 'vitest';
import { handleHeaders } from '#shared/http/handle.ts';

const makes = { at: '/things/{org}/{name}?as={kind}', id: 'number' };
const thing = { operation: 'makeThing', makes };
const path = { host: 'https://api.example', known: { org: 'acme', page: 7 } };

describe('the headers that name what a request made', () => {
  test('are filled with path parameters and with what the handler answers', () => {
    expect(handleHeaders(thing, { name: 'a b~c', kind: 'x&y', number: '7' }, path)).toEqual({
      location: 'https://api.example/api/v2/things/acme/a%20b~c?as=x%26y',
      'x-resource-id': '7',
    });
  });

  test('are absent if nothing was made', () => {
    expect(handleHeaders(thing, undefined, path)).toEqual({});
    expect(handleHeaders({ operation: 'read' }, undefined, path)).toEqual({});
  });

  test('must be declared and complete', () => {
    expect(() => handleHeaders({ operation: 'read' }, { name: 'a' }, path)).toThrow('read answered what it made');
    expect(() => handleHeaders(thing, { name: 'a', kind: 'b' }, path)).toThrow('did not answer the number');
    expect(() => handleHeaders(thing, { name: 'a', number: '7' }, path)).toThrow('did not answer the kind');
  });
});
