import { describe, expect, test } from 'vitest';
import { handleHeaders, joinHeaders, receiptHeaders } from '#shared/http/handle.ts';

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

describe('the headers that name what a request appended', () => {
  const appends = '/receipts/{org}/trails/{flow}/{trail}/{number}' as const;
  const known = { org: 'acme', flow: 'web', trail: 'a~b c' };
  const place = { host: 'https://api.example', known };
  const appended = { first: 7, hashes: [Uint8Array.of(0xab, 1), Uint8Array.of(0xcd, 2)] };

  test('have the hash and the receipt of each link', () => {
    expect(receiptHeaders({ operation: 'report', appends }, appended, place)).toEqual({
      'evidence-moment': 'ab01, cd02',
      link: [7, 8]
        .map((n) => `<https://api.example/api/v2/receipts/acme/trails/web/a~b%20c/${n}>; rel="receipt"`)
        .join(', '),
    });
  });

  test('are absent if nothing was appended', () => {
    expect(receiptHeaders({ operation: 'report', appends }, undefined, place)).toEqual({});
  });

  test('must be declared and complete', () => {
    expect(() => receiptHeaders({ operation: 'read' }, appended, place)).toThrow('read answered what it appended');
    const { trail: _, ...rest } = known;
    expect(() => receiptHeaders({ operation: 'report', appends }, appended, { ...place, known: rest })).toThrow(
      'did not answer the trail',
    );
  });

  test('stand beside the links of pages in one header', () => {
    const pages = { Link: '</a?page=2>; rel="next"', 'X-Per-Page': '1' };
    expect(joinHeaders(pages, { link: '</r>; rel="receipt"' })).toEqual({
      'x-per-page': '1',
      link: '</a?page=2>; rel="next", </r>; rel="receipt"',
    });
    expect(joinHeaders(pages, {})).toEqual({ link: pages.Link, 'x-per-page': '1' });
    expect(joinHeaders({}, {})).toEqual({});
  });
});
