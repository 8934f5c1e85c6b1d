import { describe, expect, test } from 'vitest';
import { LARGEST_ANSWER, renderAnswer, type ToolAnswer } from '#shared/agents/rules/tool-answer.ts';

const answer = (rows: number, more = 0): ToolAnswer => ({
  verdict: 'It is so.',
  facts: { compliant: true },
  rows: Array.from({ length: rows }, (_, n) => ({ sentence: `row ${n} ${'x'.repeat(80)}`, facts: { n } })),
  more,
  ask: 'Ask with `search`.',
  citations: [{ what: 'the page', url: 'https://api.example/acme' }],
});
const rowsOf = ({ structured }: ReturnType<typeof renderAnswer>) => structured['rows'] as { n: number }[];

describe('an answer of a tool', () => {
  test('has its sentences, its facts and where they can be seen', () => {
    const { text, structured } = renderAnswer(answer(1));
    expect(text.split('\n')).toEqual([
      'It is so.',
      expect.stringMatching(/^- row 0 x+$/),
      'See the page: https://api.example/acme',
    ]);
    expect(structured).toMatchObject({ verdict: 'It is so.', compliant: true, rows: [{ n: 0 }], left_out: null });
  });

  test('fits into its size with as many rows as possible, the first ones, and counts the others', () => {
    const rendered = renderAnswer(answer(200, 7));
    const rows = rowsOf(rendered);
    const size = (count: number) => Buffer.byteLength(JSON.stringify(renderAnswer(answer(count, 7 + 200 - count))));
    expect(Buffer.byteLength(JSON.stringify(rendered))).toBeLessThanOrEqual(LARGEST_ANSWER);
    expect(rows.map(({ n }) => n)).toEqual(rows.map((_, n) => n));
    expect(size(rows.length)).toBeLessThanOrEqual(LARGEST_ANSWER);
    expect(rowsOf(renderAnswer({ ...answer(rows.length + 1), more: 206 - rows.length }))).toHaveLength(rows.length);
    expect(rendered.structured['left_out']).toEqual({ count: 207 - rows.length, ask: 'Ask with `search`.' });
    expect(rendered.text).toContain(`${207 - rows.length} more left out. Ask with \`search\`.`);
  });

  test('is whole as long as it fits, although saying what is left out takes more room than a short row', () => {
    const short = (count: number): ToolAnswer => ({
      ...answer(0),
      rows: Array.from({ length: count }, (_, n) => ({ sentence: `${n}`, facts: { n } })),
    });
    const sizeOf = (count: number) => {
      const { rows } = short(count);
      const text = [
        'It is so.',
        ...rows.map(({ sentence }) => `- ${sentence}`),
        'See the page: https://api.example/acme',
      ];
      const { structured } = renderAnswer({ ...short(0) });
      const all = { ...structured, rows: rows.map(({ facts }) => facts) };
      return Buffer.byteLength(JSON.stringify({ text: text.join('\n'), structured: all }));
    };
    let most = 1;
    while (sizeOf(most + 1) <= LARGEST_ANSWER) most += 1;
    expect(rowsOf(renderAnswer(short(most)))).toHaveLength(most);
    expect(rowsOf(renderAnswer(short(most + 1))).length).toBeLessThan(most);
  });

  test('has no rows if the tool found none', () => {
    expect(renderAnswer(answer(0)).structured).not.toHaveProperty('rows');
  });
});
