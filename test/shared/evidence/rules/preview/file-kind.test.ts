import { expect, it } from 'vitest';
import { isGzip, isTar, pictureType, previewText } from '#shared/evidence/rules/preview/file-kind.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

it('knows pictures by their first bytes only', () => {
  expect(pictureType(bytes('\x89PNG\r\n\x1a\n...'))).toBe('image/png');
  expect(pictureType(bytes('\xff\xd8\xff\xe0'))).toBe('image/jpeg');
  expect(pictureType(bytes('GIF89a'))).toBe('image/gif');
  expect(pictureType(bytes('RIFF1234WEBPVP8 '))).toBe('image/webp');
  for (const other of ['', 'GIF', '\x89PNG', 'RIFF1234WAVE', '<svg/>', 'BM'])
    expect(pictureType(bytes(other))).toBeNull();
});

it('knows archives by their bytes', () => {
  expect([isGzip(bytes('\x1f\x8b')), isGzip(bytes('PK'))]).toEqual([true, false]);
  expect([isTar(bytes(`${'\0'.repeat(257)}ustar`)), isTar(bytes('ustar'))]).toEqual([true, false]);
});

it('decodes text, and leaves out the character in which a text is cut', () => {
  const umlaut = Buffer.from('aü');
  expect(previewText(umlaut, false)).toBe('aü');
  expect(previewText(umlaut.subarray(0, 2), true)).toBe('a');
  expect(previewText(umlaut.subarray(0, 2), false)).toBeNull();
  expect(previewText(bytes('a\0'), false)).toBeNull();
  expect(previewText(bytes(''), false)).toBe('');
});
