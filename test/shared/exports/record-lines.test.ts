import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { linesOf, lineText, provedLine, type Shape } from '#shared/exports/record-lines.ts';
import { storedKey } from '#shared/table/keys.ts';
import { testBody } from '#test/support/records/bodies.ts';

const read = (record: Record<string, unknown>): unknown => JSON.parse(lineText({ file: 'x', record }));

describe('the line of a record', () => {
  it('has bytes in hex, texts of bodies, and names of files for long texts', () => {
    const { inline, long, erased } = testBody('text');
    expect(read({ item: 'moment', hash: Buffer.of(0, 255), inline, long, erased, absent: undefined })).toEqual({
      item: 'moment',
      hash: '00ff',
      inline: { sha256: expect.any(String), salt: expect.any(String), size: 4, text: 'text' },
      long: expect.objectContaining({ size: 4, file: expect.stringMatching(/^data\/bodies\/[0-9a-f]{64}$/) }),
      erased: { erased: true },
    });
  });

  it('replaces halves of surrogate pairs, which cut texts can have', () => {
    expect(read({ item: 'audit', name: 'cut \ud83d' })).toEqual({ item: 'audit', name: 'cut \ufffd' });
  });

  it('has the commitments of the header, and the index only of records in the log', () => {
    const line = { file: 'x', record: { item: 'moment', pledges: { moment: Buffer.of(1) } } };
    expect(read(provedLine(line, 0).record)).toEqual({ item: 'moment', commitments: { moment: '01' }, log_index: 0 });
    expect(read(provedLine(line, null).record)).toEqual({ item: 'moment', commitments: { moment: '01' } });
  });
});

describe('the lines of items', () => {
  const shapes: Shape[] = [{ prefix: 'V#', item: 'version', schema: z.object({ sk: z.string(), at: z.number() }) }];
  const item = (sk: string, fields: object) => ({ ...storedKey('p', sk), ...fields });

  it('have the attributes of the schema and no others', () => {
    const lines = linesOf('types', shapes, [item('V#1', { at: 1, secret: 'x' })], () => ({ type: 't' }));
    expect(lines).toEqual([{ file: 'types', record: { item: 'version', at: 1, type: 't' } }]);
  });

  it('name an item that does not fit its schema', () => {
    const lines = linesOf('types', shapes, [item('V#1', { at: 'x' })]);
    expect(lines).toEqual([{ file: 'types', record: { item: 'version', unreadable: true, key: 'V#1' } }]);
  });

  it('are refused for an item that no shape describes', () => {
    expect(() => linesOf('types', shapes, [item('NEW', {})])).toThrow('No shape of types describes the item NEW');
  });
});
