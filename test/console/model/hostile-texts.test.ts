import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csrfTokenOf } from '#console/account/model/sign-in.ts';
import { quoted } from '#console/model/commands.ts';
import { jsonText } from '#console/model/json-text.ts';
import { outgoingLink } from '#console/model/link-guard.ts';
import { visibleText } from '#console/model/visible-text.ts';

describe('the guard of links', () => {
  it.each([
    ['https://ci.example.com/runs/42', 'ci.example.com'],
    ['HTTP://Example.com:8080/a?b#c', 'example.com:8080'],
  ])('lets %s pass and names the host', (text, host) => {
    expect(outgoingLink(text)?.host).toBe(host);
  });

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.com',
    '/relative',
    'https:example.com',
    'https://',
    'https://user:secret@example.com',
    'https://example.com@evil.example',
    'https://example.com\\@evil.example',
    'https://exa\u202Emple.com',
    'https://example.com/\u0000',
    'https://example.com/ a',
    `https://example.com/${'a'.repeat(5000)}`,
    'git@host:org/repo.git',
    42,
    null,
    undefined,
    {},
  ])('shows %j as text', (text) => {
    expect(outgoingLink(text)).toBeNull();
  });

  it('lets nothing pass but http and https without credentials', () => {
    const pieces = fc.constantFrom(
      'https://',
      'http://',
      'javascript:',
      '@',
      ':',
      '/',
      '\\',
      '\n',
      '\u202E',
      'example.com',
      'a',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.string(), (parts, rest) => {
        const link = outgoingLink(parts.join('') + rest);
        if (link === null) return;
        const url = new URL(link.href);
        expect(['http:', 'https:']).toContain(url.protocol);
        expect([url.username, url.password, url.host]).toEqual(['', '', link.host]);
      }),
    );
  });
});

describe('a reported text', () => {
  it('shows characters that hide or turn the text around', () => {
    expect(visibleText('a\u202Eb\u0000\u200B')).toEqual([
      { text: 'a', hidden: false },
      { text: '<U+202E>', hidden: true },
      { text: 'b', hidden: false },
      { text: '<U+0000><U+200B>', hidden: true },
    ]);
  });

  it('keeps lines, tabs and every character that can be seen', () => {
    expect(visibleText('Zürich\r\n\t日本 🚀')).toEqual([{ text: 'Zürich\n\t日本 🚀', hidden: false }]);
    expect(visibleText('')).toEqual([]);
  });
});

it.each([
  ['a=b; __Host-session-csrf=abc_-1; c=d', 'abc_-1'],
  ['session-csrf=abc', 'abc'],
  ['xsession-csrf=abc', ''],
  ['', ''],
])('the token against forgery is read from the cookies %s', (cookies, token) => {
  expect(csrfTokenOf(cookies)).toBe(token);
});

it('a text in a command is one word of the shell', () => {
  expect(quoted('release-42')).toBe('release-42');
  expect(quoted("it's; rm -rf $HOME")).toBe(`'it'\\''s; rm -rf $HOME'`);
  expect(quoted('')).toBe("''");
});

it('a long document is cut off', () => {
  expect(jsonText({ a: 1 }, 100)).toEqual({ text: '{\n  "a": 1\n}', size: 12, isCut: false });
  expect(jsonText('x'.repeat(50), 10)).toEqual({ text: `"${'x'.repeat(9)}`, size: 52, isCut: true });
  expect(jsonText(undefined).text).toBe('null');
});
